void ring(void);

int main(void)
{
    ring();
    return 0;
}
