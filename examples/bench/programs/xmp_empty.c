/* Nothing but the start and the end of the runtime library. */
int main(void)
{
    return 0;
}
