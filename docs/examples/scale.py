import ridgeline as rl


@rl.case(shapes={"n": [1 << 20, 1 << 22]}, dtypes=["f32"], bytes=lambda n, **_: 8 * n)
def scale(n, dtype, device):
    x = rl.uniform(n, dtype, device)
    return lambda: x * 2, rl.expect(lambda: x.numpy() * 2)
