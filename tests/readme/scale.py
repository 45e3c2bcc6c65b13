class graph(torch.nn.Module):
    def forward(self, x: "f32[2][1]cpu"):
        s: "f32[2][1]cpu" = torch.ops.mylib.scale.default(x, 2.0)
        return (s,)
