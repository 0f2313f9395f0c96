for (const head of document.querySelectorAll("th")) {
  head.addEventListener("click", () => {
    const body = head.closest("table").tBodies[0];
    const rows = [...body.rows];
    const key = row => {
      const cell = row.cells[head.cellIndex];
      return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
    };
    const compare = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
    const down = head.dataset.sorted !== "down";
    rows.sort((a, b) => (down ? -compare(a, b) : compare(a, b)));
    head.dataset.sorted = down ? "down" : "up";
    body.append(...rows);
  });
}
