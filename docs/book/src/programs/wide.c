#pragma xmp nodes p[*]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
int a[100];
#pragma xmp align a[i] with t[i]

int main(void)
{
#pragma xmp loop on s[i]
    for (int i = 0; i < 100; i++)
        a[i] = i;
    return 0;
}
