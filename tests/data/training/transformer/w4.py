class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[12, 16][16, 1]cpu", arg1_1: "f32[16][1]cpu", arg2_1: "f32[16, 48][48, 1]cpu", arg3_1: "f32[16, 16][16, 1]cpu", arg4_1: "f32[16][1]cpu", arg5_1: "f32[16, 32][32, 1]cpu", arg6_1: "f32[32, 16][16, 1]cpu", arg7_1: "f32[16][1]cpu", arg8_1: "f32[16, 48][48, 1]cpu", arg9_1: "f32[16, 16][16, 1]cpu", arg10_1: "f32[16][1]cpu", arg11_1: "f32[16, 32][32, 1]cpu", arg12_1: "f32[32, 16][16, 1]cpu", arg13_1: "f32[16][1]cpu", arg14_1: "f32[16, 12][12, 1]cpu", arg15_1: "f32[12, 16][16, 1]cpu", arg16_1: "f32[16][1]cpu", arg17_1: "f32[16, 48][48, 1]cpu", arg18_1: "f32[16, 16][16, 1]cpu", arg19_1: "f32[16][1]cpu", arg20_1: "f32[16, 32][32, 1]cpu", arg21_1: "f32[32, 16][16, 1]cpu", arg22_1: "f32[16][1]cpu", arg23_1: "f32[16, 48][48, 1]cpu", arg24_1: "f32[16, 16][16, 1]cpu", arg25_1: "f32[16][1]cpu", arg26_1: "f32[16, 32][32, 1]cpu", arg27_1: "f32[32, 16][16, 1]cpu", arg28_1: "f32[16][1]cpu", arg29_1: "f32[16, 12][12, 1]cpu", arg30_1: "i64[2, 6][6, 1]cpu", arg31_1: "i64[2, 6][6, 1]cpu"):
        # No stacktrace found for following nodes
        alias: "f32[12, 16][16, 1]cpu" = torch.ops.aten.alias.default(arg0_1);  arg0_1 = None
        alias_1: "f32[16][1]cpu" = torch.ops.aten.alias.default(arg1_1);  arg1_1 = None
        alias_2: "f32[16, 48][48, 1]cpu" = torch.ops.aten.alias.default(arg2_1);  arg2_1 = None
        alias_3: "f32[16, 16][16, 1]cpu" = torch.ops.aten.alias.default(arg3_1);  arg3_1 = None
        alias_4: "f32[16][1]cpu" = torch.ops.aten.alias.default(arg4_1);  arg4_1 = None
        alias_5: "f32[16, 32][32, 1]cpu" = torch.ops.aten.alias.default(arg5_1);  arg5_1 = None
        alias_6: "f32[32, 16][16, 1]cpu" = torch.ops.aten.alias.default(arg6_1);  arg6_1 = None
        alias_7: "f32[16][1]cpu" = torch.ops.aten.alias.default(arg7_1);  arg7_1 = None
        alias_8: "f32[16, 48][48, 1]cpu" = torch.ops.aten.alias.default(arg8_1);  arg8_1 = None
        alias_9: "f32[16, 16][16, 1]cpu" = torch.ops.aten.alias.default(arg9_1);  arg9_1 = None
        alias_10: "f32[16][1]cpu" = torch.ops.aten.alias.default(arg10_1);  arg10_1 = None
        alias_11: "f32[16, 32][32, 1]cpu" = torch.ops.aten.alias.default(arg11_1);  arg11_1 = None
        alias_12: "f32[32, 16][16, 1]cpu" = torch.ops.aten.alias.default(arg12_1);  arg12_1 = None
        alias_13: "f32[16][1]cpu" = torch.ops.aten.alias.default(arg13_1);  arg13_1 = None
        alias_14: "f32[16, 12][12, 1]cpu" = torch.ops.aten.alias.default(arg14_1);  arg14_1 = None
        embedding: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.embedding.default(alias, arg30_1)
        mul: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(embedding, embedding)
        mean: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mean.dim(mul, [-1], True);  mul = None
        add: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.add.Tensor(mean, 1e-05);  mean = None
        rsqrt: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.rsqrt.default(add);  add = None
        alias_15: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(rsqrt)
        mul_1: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(embedding, rsqrt)
        mul_2: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_1, alias_1)
        view: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(mul_2, [12, 16]);  mul_2 = None
        mm: "f32[12, 48][48, 1]cpu" = torch.ops.aten.mm.default(view, alias_2)
        _unsafe_view: "f32[2, 6, 48][288, 48, 1]cpu" = torch.ops.aten._unsafe_view.default(mm, [2, 6, 48]);  mm = None
        view_1: "f32[2, 6, 3, 2, 8][288, 48, 16, 8, 1]cpu" = torch.ops.aten.view.default(_unsafe_view, [2, 6, 3, 2, 8]);  _unsafe_view = None
        permute: "f32[3, 2, 2, 6, 8][16, 288, 8, 48, 1]cpu" = torch.ops.aten.permute.default(view_1, [2, 0, 3, 1, 4]);  view_1 = None
        unbind = torch.ops.aten.unbind.int(permute);  permute = None
        getitem: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = unbind[0]
        getitem_1: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = unbind[1]
        getitem_2: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = unbind[2];  unbind = None
        transpose: "f32[2, 2, 8, 6][288, 8, 1, 48]cpu" = torch.ops.aten.transpose.int(getitem_1, -1, -2);  getitem_1 = None
        expand: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = torch.ops.aten.expand.default(getitem, [2, 2, 6, 8]);  getitem = None
        clone: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.clone.default(expand, memory_format = torch.contiguous_format);  expand = None
        _unsafe_view_1: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(clone, [4, 6, 8]);  clone = None
        expand_1: "f32[2, 2, 8, 6][288, 8, 1, 48]cpu" = torch.ops.aten.expand.default(transpose, [2, 2, 8, 6]);  transpose = None
        clone_1: "f32[2, 2, 8, 6][96, 48, 6, 1]cpu" = torch.ops.aten.clone.default(expand_1, memory_format = torch.contiguous_format);  expand_1 = None
        _unsafe_view_2: "f32[4, 8, 6][48, 6, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_1, [4, 8, 6]);  clone_1 = None
        bmm: "f32[4, 6, 6][36, 6, 1]cpu" = torch.ops.aten.bmm.default(_unsafe_view_1, _unsafe_view_2)
        _unsafe_view_3: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm, [2, 2, 6, 6]);  bmm = None
        div: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.div.Tensor(_unsafe_view_3, 2.8284271247461903);  _unsafe_view_3 = None
        ones: "b8[6, 6][6, 1]cpu" = torch.ops.aten.ones.default([6, 6], dtype = torch.bool, device = device(type='cpu'), pin_memory = False)
        triu: "b8[6, 6][6, 1]cpu" = torch.ops.aten.triu.default(ones, 1);  ones = None
        masked_fill: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.masked_fill.Scalar(div, triu, -inf);  div = None
        _softmax: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten._softmax.default(masked_fill, -1, False);  masked_fill = None
        alias_16: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.alias.default(_softmax)
        expand_2: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.expand.default(_softmax, [2, 2, 6, 6]);  _softmax = None
        view_2: "f32[4, 6, 6][36, 6, 1]cpu" = torch.ops.aten.view.default(expand_2, [4, 6, 6]);  expand_2 = None
        expand_3: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = torch.ops.aten.expand.default(getitem_2, [2, 2, 6, 8]);  getitem_2 = None
        clone_2: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.clone.default(expand_3, memory_format = torch.contiguous_format);  expand_3 = None
        _unsafe_view_4: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_2, [4, 6, 8]);  clone_2 = None
        bmm_1: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten.bmm.default(view_2, _unsafe_view_4)
        _unsafe_view_5: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm_1, [2, 2, 6, 8]);  bmm_1 = None
        transpose_1: "f32[2, 6, 2, 8][96, 8, 48, 1]cpu" = torch.ops.aten.transpose.int(_unsafe_view_5, 1, 2);  _unsafe_view_5 = None
        clone_3: "f32[2, 6, 2, 8][96, 16, 8, 1]cpu" = torch.ops.aten.clone.default(transpose_1, memory_format = torch.contiguous_format);  transpose_1 = None
        _unsafe_view_6: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_3, [2, 6, 16]);  clone_3 = None
        view_3: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(_unsafe_view_6, [12, 16]);  _unsafe_view_6 = None
        mm_1: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_3, alias_3)
        _unsafe_view_7: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten._unsafe_view.default(mm_1, [2, 6, 16]);  mm_1 = None
        add_1: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(embedding, _unsafe_view_7);  _unsafe_view_7 = None
        mul_3: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(add_1, add_1)
        mean_1: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mean.dim(mul_3, [-1], True);  mul_3 = None
        add_2: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.add.Tensor(mean_1, 1e-05);  mean_1 = None
        rsqrt_1: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.rsqrt.default(add_2);  add_2 = None
        alias_17: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(rsqrt_1)
        mul_4: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(add_1, rsqrt_1)
        mul_5: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_4, alias_4)
        view_4: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(mul_5, [12, 16]);  mul_5 = None
        mm_2: "f32[12, 32][32, 1]cpu" = torch.ops.aten.mm.default(view_4, alias_5)
        _unsafe_view_8: "f32[2, 6, 32][192, 32, 1]cpu" = torch.ops.aten._unsafe_view.default(mm_2, [2, 6, 32]);  mm_2 = None
        silu: "f32[2, 6, 32][192, 32, 1]cpu" = torch.ops.aten.silu.default(_unsafe_view_8)
        view_5: "f32[12, 32][32, 1]cpu" = torch.ops.aten.view.default(silu, [12, 32]);  silu = None
        mm_3: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_5, alias_6)
        _unsafe_view_9: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten._unsafe_view.default(mm_3, [2, 6, 16]);  mm_3 = None
        add_3: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_1, _unsafe_view_9);  _unsafe_view_9 = None
        mul_6: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(add_3, add_3)
        mean_2: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mean.dim(mul_6, [-1], True);  mul_6 = None
        add_4: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.add.Tensor(mean_2, 1e-05);  mean_2 = None
        rsqrt_2: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.rsqrt.default(add_4);  add_4 = None
        alias_18: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(rsqrt_2)
        mul_7: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(add_3, rsqrt_2)
        mul_8: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_7, alias_7)
        view_6: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(mul_8, [12, 16]);  mul_8 = None
        mm_4: "f32[12, 48][48, 1]cpu" = torch.ops.aten.mm.default(view_6, alias_8)
        _unsafe_view_10: "f32[2, 6, 48][288, 48, 1]cpu" = torch.ops.aten._unsafe_view.default(mm_4, [2, 6, 48]);  mm_4 = None
        view_7: "f32[2, 6, 3, 2, 8][288, 48, 16, 8, 1]cpu" = torch.ops.aten.view.default(_unsafe_view_10, [2, 6, 3, 2, 8]);  _unsafe_view_10 = None
        permute_1: "f32[3, 2, 2, 6, 8][16, 288, 8, 48, 1]cpu" = torch.ops.aten.permute.default(view_7, [2, 0, 3, 1, 4]);  view_7 = None
        unbind_1 = torch.ops.aten.unbind.int(permute_1);  permute_1 = None
        getitem_3: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = unbind_1[0]
        getitem_4: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = unbind_1[1]
        getitem_5: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = unbind_1[2];  unbind_1 = None
        transpose_2: "f32[2, 2, 8, 6][288, 8, 1, 48]cpu" = torch.ops.aten.transpose.int(getitem_4, -1, -2);  getitem_4 = None
        expand_4: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = torch.ops.aten.expand.default(getitem_3, [2, 2, 6, 8]);  getitem_3 = None
        clone_4: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.clone.default(expand_4, memory_format = torch.contiguous_format);  expand_4 = None
        _unsafe_view_11: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_4, [4, 6, 8]);  clone_4 = None
        expand_5: "f32[2, 2, 8, 6][288, 8, 1, 48]cpu" = torch.ops.aten.expand.default(transpose_2, [2, 2, 8, 6]);  transpose_2 = None
        clone_5: "f32[2, 2, 8, 6][96, 48, 6, 1]cpu" = torch.ops.aten.clone.default(expand_5, memory_format = torch.contiguous_format);  expand_5 = None
        _unsafe_view_12: "f32[4, 8, 6][48, 6, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_5, [4, 8, 6]);  clone_5 = None
        bmm_2: "f32[4, 6, 6][36, 6, 1]cpu" = torch.ops.aten.bmm.default(_unsafe_view_11, _unsafe_view_12)
        _unsafe_view_13: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm_2, [2, 2, 6, 6]);  bmm_2 = None
        div_1: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.div.Tensor(_unsafe_view_13, 2.8284271247461903);  _unsafe_view_13 = None
        ones_1: "b8[6, 6][6, 1]cpu" = torch.ops.aten.ones.default([6, 6], dtype = torch.bool, device = device(type='cpu'), pin_memory = False)
        triu_1: "b8[6, 6][6, 1]cpu" = torch.ops.aten.triu.default(ones_1, 1);  ones_1 = None
        masked_fill_1: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.masked_fill.Scalar(div_1, triu_1, -inf);  div_1 = None
        _softmax_1: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten._softmax.default(masked_fill_1, -1, False);  masked_fill_1 = None
        alias_19: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.alias.default(_softmax_1)
        expand_6: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.expand.default(_softmax_1, [2, 2, 6, 6]);  _softmax_1 = None
        view_8: "f32[4, 6, 6][36, 6, 1]cpu" = torch.ops.aten.view.default(expand_6, [4, 6, 6]);  expand_6 = None
        expand_7: "f32[2, 2, 6, 8][288, 8, 48, 1]cpu" = torch.ops.aten.expand.default(getitem_5, [2, 2, 6, 8]);  getitem_5 = None
        clone_6: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.clone.default(expand_7, memory_format = torch.contiguous_format);  expand_7 = None
        _unsafe_view_14: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_6, [4, 6, 8]);  clone_6 = None
        bmm_3: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten.bmm.default(view_8, _unsafe_view_14)
        _unsafe_view_15: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(bmm_3, [2, 2, 6, 8]);  bmm_3 = None
        transpose_3: "f32[2, 6, 2, 8][96, 8, 48, 1]cpu" = torch.ops.aten.transpose.int(_unsafe_view_15, 1, 2);  _unsafe_view_15 = None
        clone_7: "f32[2, 6, 2, 8][96, 16, 8, 1]cpu" = torch.ops.aten.clone.default(transpose_3, memory_format = torch.contiguous_format);  transpose_3 = None
        _unsafe_view_16: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_7, [2, 6, 16]);  clone_7 = None
        view_9: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(_unsafe_view_16, [12, 16]);  _unsafe_view_16 = None
        mm_5: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_9, alias_9)
        _unsafe_view_17: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten._unsafe_view.default(mm_5, [2, 6, 16]);  mm_5 = None
        add_5: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_3, _unsafe_view_17);  _unsafe_view_17 = None
        mul_9: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(add_5, add_5)
        mean_3: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mean.dim(mul_9, [-1], True);  mul_9 = None
        add_6: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.add.Tensor(mean_3, 1e-05);  mean_3 = None
        rsqrt_3: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.rsqrt.default(add_6);  add_6 = None
        alias_20: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(rsqrt_3)
        mul_10: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(add_5, rsqrt_3)
        mul_11: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_10, alias_10)
        view_10: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(mul_11, [12, 16]);  mul_11 = None
        mm_6: "f32[12, 32][32, 1]cpu" = torch.ops.aten.mm.default(view_10, alias_11)
        _unsafe_view_18: "f32[2, 6, 32][192, 32, 1]cpu" = torch.ops.aten._unsafe_view.default(mm_6, [2, 6, 32]);  mm_6 = None
        silu_1: "f32[2, 6, 32][192, 32, 1]cpu" = torch.ops.aten.silu.default(_unsafe_view_18)
        view_11: "f32[12, 32][32, 1]cpu" = torch.ops.aten.view.default(silu_1, [12, 32]);  silu_1 = None
        mm_7: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_11, alias_12)
        _unsafe_view_19: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten._unsafe_view.default(mm_7, [2, 6, 16]);  mm_7 = None
        add_7: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_5, _unsafe_view_19);  _unsafe_view_19 = None
        mul_12: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(add_7, add_7)
        mean_4: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mean.dim(mul_12, [-1], True);  mul_12 = None
        add_8: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.add.Tensor(mean_4, 1e-05);  mean_4 = None
        rsqrt_4: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.rsqrt.default(add_8);  add_8 = None
        alias_21: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(rsqrt_4)
        mul_13: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(add_7, rsqrt_4)
        mul_14: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_13, alias_13)
        view_12: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(mul_14, [12, 16]);  mul_14 = None
        mm_8: "f32[12, 12][12, 1]cpu" = torch.ops.aten.mm.default(view_12, alias_14)
        _unsafe_view_20: "f32[2, 6, 12][72, 12, 1]cpu" = torch.ops.aten._unsafe_view.default(mm_8, [2, 6, 12]);  mm_8 = None
        view_13: "f32[12, 12][12, 1]cpu" = torch.ops.aten.view.default(_unsafe_view_20, [12, 12]);  _unsafe_view_20 = None
        view_14: "i64[12][1]cpu" = torch.ops.aten.view.default(arg31_1, [12]);  arg31_1 = None
        _log_softmax: "f32[12, 12][12, 1]cpu" = torch.ops.aten._log_softmax.default(view_13, 1, False);  view_13 = None
        alias_22: "f32[12, 12][12, 1]cpu" = torch.ops.aten.alias.default(_log_softmax)
        nll_loss_forward = torch.ops.aten.nll_loss_forward.default(_log_softmax, view_14, None, 1, -100)
        getitem_6: "f32[][]cpu" = nll_loss_forward[0]
        getitem_7: "f32[][]cpu" = nll_loss_forward[1];  nll_loss_forward = None
        ones_like: "f32[][]cpu" = torch.ops.aten.ones_like.default(getitem_6, pin_memory = False, memory_format = torch.preserve_format)
        nll_loss_backward: "f32[12, 12][12, 1]cpu" = torch.ops.aten.nll_loss_backward.default(ones_like, _log_softmax, view_14, None, 1, -100, getitem_7);  ones_like = _log_softmax = view_14 = getitem_7 = None
        alias_23: "f32[12, 12][12, 1]cpu" = torch.ops.aten.alias.default(alias_22);  alias_22 = None
        _log_softmax_backward_data: "f32[12, 12][12, 1]cpu" = torch.ops.aten._log_softmax_backward_data.default(nll_loss_backward, alias_23, 1, torch.float32);  nll_loss_backward = alias_23 = None
        view_15: "f32[2, 6, 12][72, 12, 1]cpu" = torch.ops.aten.view.default(_log_softmax_backward_data, [2, 6, 12]);  _log_softmax_backward_data = None
        view_16: "f32[12, 12][12, 1]cpu" = torch.ops.aten.view.default(view_15, [12, 12]);  view_15 = None
        t: "f32[16, 12][1, 16]cpu" = torch.ops.aten.t.default(view_12);  view_12 = None
        mm_9: "f32[16, 12][12, 1]cpu" = torch.ops.aten.mm.default(t, view_16);  t = None
        t_1: "f32[12, 16][1, 12]cpu" = torch.ops.aten.t.default(alias_14)
        mm_10: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_16, t_1);  view_16 = t_1 = None
        view_17: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.view.default(mm_10, [2, 6, 16]);  mm_10 = None
        mul_15: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_17, mul_13);  mul_13 = None
        mul_16: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_17, alias_13);  view_17 = None
        sum_1: "f32[1, 1, 16][16, 16, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_15, [0, 1], True);  mul_15 = None
        view_18: "f32[16][1]cpu" = torch.ops.aten.view.default(sum_1, [16]);  sum_1 = None
        mul_17: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_16, add_7)
        mul_18: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_16, rsqrt_4);  mul_16 = rsqrt_4 = None
        sum_2: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_17, [2], True);  mul_17 = None
        alias_24: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(alias_21);  alias_21 = None
        pow_1: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(alias_24, 3);  alias_24 = None
        mul_19: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Scalar(sum_2, -0.5);  sum_2 = None
        mul_20: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Tensor(mul_19, pow_1);  mul_19 = pow_1 = None
        expand_8: "f32[2, 6, 16][6, 1, 0]cpu" = torch.ops.aten.expand.default(mul_20, [2, 6, 16]);  mul_20 = None
        div_2: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.div.Scalar(expand_8, 16);  expand_8 = None
        mul_21: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_2, add_7)
        mul_22: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_2, add_7);  div_2 = add_7 = None
        add_9: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(mul_18, mul_22);  mul_18 = mul_22 = None
        add_10: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_9, mul_21);  add_9 = mul_21 = None
        view_19: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(add_10, [12, 16])
        t_2: "f32[32, 12][1, 32]cpu" = torch.ops.aten.t.default(view_11);  view_11 = None
        mm_11: "f32[32, 16][16, 1]cpu" = torch.ops.aten.mm.default(t_2, view_19);  t_2 = None
        t_3: "f32[16, 32][1, 16]cpu" = torch.ops.aten.t.default(alias_12)
        mm_12: "f32[12, 32][32, 1]cpu" = torch.ops.aten.mm.default(view_19, t_3);  view_19 = t_3 = None
        view_20: "f32[2, 6, 32][192, 32, 1]cpu" = torch.ops.aten.view.default(mm_12, [2, 6, 32]);  mm_12 = None
        silu_backward: "f32[2, 6, 32][192, 32, 1]cpu" = torch.ops.aten.silu_backward.default(view_20, _unsafe_view_18);  view_20 = _unsafe_view_18 = None
        view_21: "f32[12, 32][32, 1]cpu" = torch.ops.aten.view.default(silu_backward, [12, 32]);  silu_backward = None
        t_4: "f32[16, 12][1, 16]cpu" = torch.ops.aten.t.default(view_10);  view_10 = None
        mm_13: "f32[16, 32][32, 1]cpu" = torch.ops.aten.mm.default(t_4, view_21);  t_4 = None
        t_5: "f32[32, 16][1, 32]cpu" = torch.ops.aten.t.default(alias_11)
        mm_14: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_21, t_5);  view_21 = t_5 = None
        view_22: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.view.default(mm_14, [2, 6, 16]);  mm_14 = None
        mul_23: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_22, mul_10);  mul_10 = None
        mul_24: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_22, alias_10);  view_22 = None
        sum_3: "f32[1, 1, 16][16, 16, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_23, [0, 1], True);  mul_23 = None
        view_23: "f32[16][1]cpu" = torch.ops.aten.view.default(sum_3, [16]);  sum_3 = None
        mul_25: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_24, add_5)
        mul_26: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_24, rsqrt_3);  mul_24 = rsqrt_3 = None
        sum_4: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_25, [2], True);  mul_25 = None
        add_11: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_10, mul_26);  add_10 = mul_26 = None
        alias_25: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(alias_20);  alias_20 = None
        pow_2: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(alias_25, 3);  alias_25 = None
        mul_27: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Scalar(sum_4, -0.5);  sum_4 = None
        mul_28: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Tensor(mul_27, pow_2);  mul_27 = pow_2 = None
        expand_9: "f32[2, 6, 16][6, 1, 0]cpu" = torch.ops.aten.expand.default(mul_28, [2, 6, 16]);  mul_28 = None
        div_3: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.div.Scalar(expand_9, 16);  expand_9 = None
        mul_29: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_3, add_5)
        mul_30: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_3, add_5);  div_3 = add_5 = None
        add_12: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_11, mul_30);  add_11 = mul_30 = None
        add_13: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_12, mul_29);  add_12 = mul_29 = None
        view_24: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(add_13, [12, 16])
        t_6: "f32[16, 12][1, 16]cpu" = torch.ops.aten.t.default(view_9);  view_9 = None
        mm_15: "f32[16, 16][16, 1]cpu" = torch.ops.aten.mm.default(t_6, view_24);  t_6 = None
        t_7: "f32[16, 16][1, 16]cpu" = torch.ops.aten.t.default(alias_9)
        mm_16: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_24, t_7);  view_24 = t_7 = None
        view_25: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.view.default(mm_16, [2, 6, 16]);  mm_16 = None
        view_26: "f32[2, 6, 2, 8][96, 16, 8, 1]cpu" = torch.ops.aten.view.default(view_25, [2, 6, 2, 8]);  view_25 = None
        transpose_4: "f32[2, 2, 6, 8][96, 8, 16, 1]cpu" = torch.ops.aten.transpose.int(view_26, 1, 2);  view_26 = None
        clone_8: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.clone.default(transpose_4, memory_format = torch.contiguous_format);  transpose_4 = None
        _unsafe_view_21: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_8, [4, 6, 8]);  clone_8 = None
        transpose_5: "f32[4, 6, 6][36, 1, 6]cpu" = torch.ops.aten.transpose.int(view_8, 1, 2);  view_8 = None
        bmm_4: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten.bmm.default(transpose_5, _unsafe_view_21);  transpose_5 = None
        transpose_6: "f32[4, 8, 6][48, 1, 8]cpu" = torch.ops.aten.transpose.int(_unsafe_view_14, 1, 2);  _unsafe_view_14 = None
        bmm_5: "f32[4, 6, 6][36, 6, 1]cpu" = torch.ops.aten.bmm.default(_unsafe_view_21, transpose_6);  _unsafe_view_21 = transpose_6 = None
        view_27: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.view.default(bmm_4, [2, 2, 6, 8]);  bmm_4 = None
        view_28: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.view.default(bmm_5, [2, 2, 6, 6]);  bmm_5 = None
        alias_26: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.alias.default(alias_19);  alias_19 = None
        _softmax_backward_data: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten._softmax_backward_data.default(view_28, alias_26, -1, torch.float32);  view_28 = alias_26 = None
        masked_fill_2: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.masked_fill.Scalar(_softmax_backward_data, triu_1, 0);  _softmax_backward_data = triu_1 = None
        div_4: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.div.Tensor(masked_fill_2, 2.8284271247461903);  masked_fill_2 = None
        view_29: "f32[4, 6, 6][36, 6, 1]cpu" = torch.ops.aten.view.default(div_4, [4, 6, 6]);  div_4 = None
        transpose_7: "f32[4, 8, 6][48, 1, 8]cpu" = torch.ops.aten.transpose.int(_unsafe_view_11, 1, 2);  _unsafe_view_11 = None
        bmm_6: "f32[4, 8, 6][48, 6, 1]cpu" = torch.ops.aten.bmm.default(transpose_7, view_29);  transpose_7 = None
        transpose_8: "f32[4, 6, 8][48, 1, 6]cpu" = torch.ops.aten.transpose.int(_unsafe_view_12, 1, 2);  _unsafe_view_12 = None
        bmm_7: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten.bmm.default(view_29, transpose_8);  view_29 = transpose_8 = None
        view_30: "f32[2, 2, 8, 6][96, 48, 6, 1]cpu" = torch.ops.aten.view.default(bmm_6, [2, 2, 8, 6]);  bmm_6 = None
        view_31: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.view.default(bmm_7, [2, 2, 6, 8]);  bmm_7 = None
        transpose_9: "f32[2, 2, 6, 8][96, 48, 1, 6]cpu" = torch.ops.aten.transpose.int(view_30, -1, -2);  view_30 = None
        stack: "f32[3, 2, 2, 6, 8][192, 96, 48, 8, 1]cpu" = torch.ops.aten.stack.default([view_31, transpose_9, view_27]);  view_31 = transpose_9 = view_27 = None
        permute_2: "f32[2, 6, 3, 2, 8][96, 8, 192, 48, 1]cpu" = torch.ops.aten.permute.default(stack, [1, 3, 0, 2, 4]);  stack = None
        clone_9: "f32[2, 6, 3, 2, 8][288, 48, 16, 8, 1]cpu" = torch.ops.aten.clone.default(permute_2, memory_format = torch.contiguous_format);  permute_2 = None
        _unsafe_view_22: "f32[2, 6, 48][288, 48, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_9, [2, 6, 48]);  clone_9 = None
        view_32: "f32[12, 48][48, 1]cpu" = torch.ops.aten.view.default(_unsafe_view_22, [12, 48]);  _unsafe_view_22 = None
        t_8: "f32[16, 12][1, 16]cpu" = torch.ops.aten.t.default(view_6);  view_6 = None
        mm_17: "f32[16, 48][48, 1]cpu" = torch.ops.aten.mm.default(t_8, view_32);  t_8 = None
        t_9: "f32[48, 16][1, 48]cpu" = torch.ops.aten.t.default(alias_8)
        mm_18: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_32, t_9);  view_32 = t_9 = None
        view_33: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.view.default(mm_18, [2, 6, 16]);  mm_18 = None
        mul_31: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_33, mul_7);  mul_7 = None
        mul_32: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_33, alias_7);  view_33 = None
        sum_5: "f32[1, 1, 16][16, 16, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_31, [0, 1], True);  mul_31 = None
        view_34: "f32[16][1]cpu" = torch.ops.aten.view.default(sum_5, [16]);  sum_5 = None
        mul_33: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_32, add_3)
        mul_34: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_32, rsqrt_2);  mul_32 = rsqrt_2 = None
        sum_6: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_33, [2], True);  mul_33 = None
        add_14: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_13, mul_34);  add_13 = mul_34 = None
        alias_27: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(alias_18);  alias_18 = None
        pow_3: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(alias_27, 3);  alias_27 = None
        mul_35: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Scalar(sum_6, -0.5);  sum_6 = None
        mul_36: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Tensor(mul_35, pow_3);  mul_35 = pow_3 = None
        expand_10: "f32[2, 6, 16][6, 1, 0]cpu" = torch.ops.aten.expand.default(mul_36, [2, 6, 16]);  mul_36 = None
        div_5: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.div.Scalar(expand_10, 16);  expand_10 = None
        mul_37: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_5, add_3)
        mul_38: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_5, add_3);  div_5 = add_3 = None
        add_15: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_14, mul_38);  add_14 = mul_38 = None
        add_16: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_15, mul_37);  add_15 = mul_37 = None
        view_35: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(add_16, [12, 16])
        t_10: "f32[32, 12][1, 32]cpu" = torch.ops.aten.t.default(view_5);  view_5 = None
        mm_19: "f32[32, 16][16, 1]cpu" = torch.ops.aten.mm.default(t_10, view_35);  t_10 = None
        t_11: "f32[16, 32][1, 16]cpu" = torch.ops.aten.t.default(alias_6)
        mm_20: "f32[12, 32][32, 1]cpu" = torch.ops.aten.mm.default(view_35, t_11);  view_35 = t_11 = None
        view_36: "f32[2, 6, 32][192, 32, 1]cpu" = torch.ops.aten.view.default(mm_20, [2, 6, 32]);  mm_20 = None
        silu_backward_1: "f32[2, 6, 32][192, 32, 1]cpu" = torch.ops.aten.silu_backward.default(view_36, _unsafe_view_8);  view_36 = _unsafe_view_8 = None
        view_37: "f32[12, 32][32, 1]cpu" = torch.ops.aten.view.default(silu_backward_1, [12, 32]);  silu_backward_1 = None
        t_12: "f32[16, 12][1, 16]cpu" = torch.ops.aten.t.default(view_4);  view_4 = None
        mm_21: "f32[16, 32][32, 1]cpu" = torch.ops.aten.mm.default(t_12, view_37);  t_12 = None
        t_13: "f32[32, 16][1, 32]cpu" = torch.ops.aten.t.default(alias_5)
        mm_22: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_37, t_13);  view_37 = t_13 = None
        view_38: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.view.default(mm_22, [2, 6, 16]);  mm_22 = None
        mul_39: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_38, mul_4);  mul_4 = None
        mul_40: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_38, alias_4);  view_38 = None
        sum_7: "f32[1, 1, 16][16, 16, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_39, [0, 1], True);  mul_39 = None
        view_39: "f32[16][1]cpu" = torch.ops.aten.view.default(sum_7, [16]);  sum_7 = None
        mul_41: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_40, add_1)
        mul_42: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_40, rsqrt_1);  mul_40 = rsqrt_1 = None
        sum_8: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_41, [2], True);  mul_41 = None
        add_17: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_16, mul_42);  add_16 = mul_42 = None
        alias_28: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(alias_17);  alias_17 = None
        pow_4: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(alias_28, 3);  alias_28 = None
        mul_43: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Scalar(sum_8, -0.5);  sum_8 = None
        mul_44: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Tensor(mul_43, pow_4);  mul_43 = pow_4 = None
        expand_11: "f32[2, 6, 16][6, 1, 0]cpu" = torch.ops.aten.expand.default(mul_44, [2, 6, 16]);  mul_44 = None
        div_6: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.div.Scalar(expand_11, 16);  expand_11 = None
        mul_45: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_6, add_1)
        mul_46: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_6, add_1);  div_6 = add_1 = None
        add_18: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_17, mul_46);  add_17 = mul_46 = None
        add_19: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_18, mul_45);  add_18 = mul_45 = None
        view_40: "f32[12, 16][16, 1]cpu" = torch.ops.aten.view.default(add_19, [12, 16])
        t_14: "f32[16, 12][1, 16]cpu" = torch.ops.aten.t.default(view_3);  view_3 = None
        mm_23: "f32[16, 16][16, 1]cpu" = torch.ops.aten.mm.default(t_14, view_40);  t_14 = None
        t_15: "f32[16, 16][1, 16]cpu" = torch.ops.aten.t.default(alias_3)
        mm_24: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_40, t_15);  view_40 = t_15 = None
        view_41: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.view.default(mm_24, [2, 6, 16]);  mm_24 = None
        view_42: "f32[2, 6, 2, 8][96, 16, 8, 1]cpu" = torch.ops.aten.view.default(view_41, [2, 6, 2, 8]);  view_41 = None
        transpose_10: "f32[2, 2, 6, 8][96, 8, 16, 1]cpu" = torch.ops.aten.transpose.int(view_42, 1, 2);  view_42 = None
        clone_10: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.clone.default(transpose_10, memory_format = torch.contiguous_format);  transpose_10 = None
        _unsafe_view_23: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_10, [4, 6, 8]);  clone_10 = None
        transpose_11: "f32[4, 6, 6][36, 1, 6]cpu" = torch.ops.aten.transpose.int(view_2, 1, 2);  view_2 = None
        bmm_8: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten.bmm.default(transpose_11, _unsafe_view_23);  transpose_11 = None
        transpose_12: "f32[4, 8, 6][48, 1, 8]cpu" = torch.ops.aten.transpose.int(_unsafe_view_4, 1, 2);  _unsafe_view_4 = None
        bmm_9: "f32[4, 6, 6][36, 6, 1]cpu" = torch.ops.aten.bmm.default(_unsafe_view_23, transpose_12);  _unsafe_view_23 = transpose_12 = None
        view_43: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.view.default(bmm_8, [2, 2, 6, 8]);  bmm_8 = None
        view_44: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.view.default(bmm_9, [2, 2, 6, 6]);  bmm_9 = None
        alias_29: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.alias.default(alias_16);  alias_16 = None
        _softmax_backward_data_1: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten._softmax_backward_data.default(view_44, alias_29, -1, torch.float32);  view_44 = alias_29 = None
        masked_fill_3: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.masked_fill.Scalar(_softmax_backward_data_1, triu, 0);  _softmax_backward_data_1 = triu = None
        div_7: "f32[2, 2, 6, 6][72, 36, 6, 1]cpu" = torch.ops.aten.div.Tensor(masked_fill_3, 2.8284271247461903);  masked_fill_3 = None
        view_45: "f32[4, 6, 6][36, 6, 1]cpu" = torch.ops.aten.view.default(div_7, [4, 6, 6]);  div_7 = None
        transpose_13: "f32[4, 8, 6][48, 1, 8]cpu" = torch.ops.aten.transpose.int(_unsafe_view_1, 1, 2);  _unsafe_view_1 = None
        bmm_10: "f32[4, 8, 6][48, 6, 1]cpu" = torch.ops.aten.bmm.default(transpose_13, view_45);  transpose_13 = None
        transpose_14: "f32[4, 6, 8][48, 1, 6]cpu" = torch.ops.aten.transpose.int(_unsafe_view_2, 1, 2);  _unsafe_view_2 = None
        bmm_11: "f32[4, 6, 8][48, 8, 1]cpu" = torch.ops.aten.bmm.default(view_45, transpose_14);  view_45 = transpose_14 = None
        view_46: "f32[2, 2, 8, 6][96, 48, 6, 1]cpu" = torch.ops.aten.view.default(bmm_10, [2, 2, 8, 6]);  bmm_10 = None
        view_47: "f32[2, 2, 6, 8][96, 48, 8, 1]cpu" = torch.ops.aten.view.default(bmm_11, [2, 2, 6, 8]);  bmm_11 = None
        transpose_15: "f32[2, 2, 6, 8][96, 48, 1, 6]cpu" = torch.ops.aten.transpose.int(view_46, -1, -2);  view_46 = None
        stack_1: "f32[3, 2, 2, 6, 8][192, 96, 48, 8, 1]cpu" = torch.ops.aten.stack.default([view_47, transpose_15, view_43]);  view_47 = transpose_15 = view_43 = None
        permute_3: "f32[2, 6, 3, 2, 8][96, 8, 192, 48, 1]cpu" = torch.ops.aten.permute.default(stack_1, [1, 3, 0, 2, 4]);  stack_1 = None
        clone_11: "f32[2, 6, 3, 2, 8][288, 48, 16, 8, 1]cpu" = torch.ops.aten.clone.default(permute_3, memory_format = torch.contiguous_format);  permute_3 = None
        _unsafe_view_24: "f32[2, 6, 48][288, 48, 1]cpu" = torch.ops.aten._unsafe_view.default(clone_11, [2, 6, 48]);  clone_11 = None
        view_48: "f32[12, 48][48, 1]cpu" = torch.ops.aten.view.default(_unsafe_view_24, [12, 48]);  _unsafe_view_24 = None
        t_16: "f32[16, 12][1, 16]cpu" = torch.ops.aten.t.default(view);  view = None
        mm_25: "f32[16, 48][48, 1]cpu" = torch.ops.aten.mm.default(t_16, view_48);  t_16 = None
        t_17: "f32[48, 16][1, 48]cpu" = torch.ops.aten.t.default(alias_2)
        mm_26: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mm.default(view_48, t_17);  view_48 = t_17 = None
        view_49: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.view.default(mm_26, [2, 6, 16]);  mm_26 = None
        mul_47: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_49, mul_1);  mul_1 = None
        mul_48: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(view_49, alias_1);  view_49 = None
        sum_9: "f32[1, 1, 16][16, 16, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_47, [0, 1], True);  mul_47 = None
        view_50: "f32[16][1]cpu" = torch.ops.aten.view.default(sum_9, [16]);  sum_9 = None
        mul_49: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_48, embedding)
        mul_50: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(mul_48, rsqrt);  mul_48 = rsqrt = None
        sum_10: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul_49, [2], True);  mul_49 = None
        add_20: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_19, mul_50);  add_19 = mul_50 = None
        alias_30: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.alias.default(alias_15);  alias_15 = None
        pow_5: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.pow.Tensor_Scalar(alias_30, 3);  alias_30 = None
        mul_51: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Scalar(sum_10, -0.5);  sum_10 = None
        mul_52: "f32[2, 6, 1][6, 1, 1]cpu" = torch.ops.aten.mul.Tensor(mul_51, pow_5);  mul_51 = pow_5 = None
        expand_12: "f32[2, 6, 16][6, 1, 0]cpu" = torch.ops.aten.expand.default(mul_52, [2, 6, 16]);  mul_52 = None
        div_8: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.div.Scalar(expand_12, 16);  expand_12 = None
        mul_53: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_8, embedding)
        mul_54: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.mul.Tensor(div_8, embedding);  div_8 = embedding = None
        add_21: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_20, mul_54);  add_20 = mul_54 = None
        add_22: "f32[2, 6, 16][96, 16, 1]cpu" = torch.ops.aten.add.Tensor(add_21, mul_53);  add_21 = mul_53 = None
        embedding_dense_backward: "f32[12, 16][16, 1]cpu" = torch.ops.aten.embedding_dense_backward.default(add_22, arg30_1, 12, -1, False);  add_22 = arg30_1 = None
        alias_31: "f32[][]cpu" = torch.ops.aten.alias.default(getitem_6);  getitem_6 = None
        all_reduce: "f32[12, 16][16, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(embedding_dense_backward, 'sum', '0');  embedding_dense_backward = None
        wait_tensor: "f32[12, 16][16, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce);  all_reduce = None
        div_9: "f32[12, 16][16, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor, 4);  wait_tensor = None
        all_reduce_1: "f32[16][1]cpu" = torch.ops._c10d_functional.all_reduce.default(view_50, 'sum', '0');  view_50 = None
        wait_tensor_1: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_1);  all_reduce_1 = None
        div_10: "f32[16][1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_1, 4);  wait_tensor_1 = None
        all_reduce_2: "f32[16, 48][48, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_25, 'sum', '0');  mm_25 = None
        wait_tensor_2: "f32[16, 48][48, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_2);  all_reduce_2 = None
        div_11: "f32[16, 48][48, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_2, 4);  wait_tensor_2 = None
        all_reduce_3: "f32[16, 16][16, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_23, 'sum', '0');  mm_23 = None
        wait_tensor_3: "f32[16, 16][16, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_3);  all_reduce_3 = None
        div_12: "f32[16, 16][16, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_3, 4);  wait_tensor_3 = None
        all_reduce_4: "f32[16][1]cpu" = torch.ops._c10d_functional.all_reduce.default(view_39, 'sum', '0');  view_39 = None
        wait_tensor_4: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_4);  all_reduce_4 = None
        div_13: "f32[16][1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_4, 4);  wait_tensor_4 = None
        all_reduce_5: "f32[16, 32][32, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_21, 'sum', '0');  mm_21 = None
        wait_tensor_5: "f32[16, 32][32, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_5);  all_reduce_5 = None
        div_14: "f32[16, 32][32, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_5, 4);  wait_tensor_5 = None
        all_reduce_6: "f32[32, 16][16, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_19, 'sum', '0');  mm_19 = None
        wait_tensor_6: "f32[32, 16][16, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_6);  all_reduce_6 = None
        div_15: "f32[32, 16][16, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_6, 4);  wait_tensor_6 = None
        all_reduce_7: "f32[16][1]cpu" = torch.ops._c10d_functional.all_reduce.default(view_34, 'sum', '0');  view_34 = None
        wait_tensor_7: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_7);  all_reduce_7 = None
        div_16: "f32[16][1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_7, 4);  wait_tensor_7 = None
        all_reduce_8: "f32[16, 48][48, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_17, 'sum', '0');  mm_17 = None
        wait_tensor_8: "f32[16, 48][48, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_8);  all_reduce_8 = None
        div_17: "f32[16, 48][48, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_8, 4);  wait_tensor_8 = None
        all_reduce_9: "f32[16, 16][16, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_15, 'sum', '0');  mm_15 = None
        wait_tensor_9: "f32[16, 16][16, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_9);  all_reduce_9 = None
        div_18: "f32[16, 16][16, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_9, 4);  wait_tensor_9 = None
        all_reduce_10: "f32[16][1]cpu" = torch.ops._c10d_functional.all_reduce.default(view_23, 'sum', '0');  view_23 = None
        wait_tensor_10: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_10);  all_reduce_10 = None
        div_19: "f32[16][1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_10, 4);  wait_tensor_10 = None
        all_reduce_11: "f32[16, 32][32, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_13, 'sum', '0');  mm_13 = None
        wait_tensor_11: "f32[16, 32][32, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_11);  all_reduce_11 = None
        div_20: "f32[16, 32][32, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_11, 4);  wait_tensor_11 = None
        all_reduce_12: "f32[32, 16][16, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_11, 'sum', '0');  mm_11 = None
        wait_tensor_12: "f32[32, 16][16, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_12);  all_reduce_12 = None
        div_21: "f32[32, 16][16, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_12, 4);  wait_tensor_12 = None
        all_reduce_13: "f32[16][1]cpu" = torch.ops._c10d_functional.all_reduce.default(view_18, 'sum', '0');  view_18 = None
        wait_tensor_13: "f32[16][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_13);  all_reduce_13 = None
        div_22: "f32[16][1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_13, 4);  wait_tensor_13 = None
        all_reduce_14: "f32[16, 12][12, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(mm_9, 'sum', '0');  mm_9 = None
        wait_tensor_14: "f32[16, 12][12, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_14);  all_reduce_14 = None
        div_23: "f32[16, 12][12, 1]cpu" = torch.ops.aten.div.Tensor(wait_tensor_14, 4);  wait_tensor_14 = None
        all_reduce_15: "f32[][]cpu" = torch.ops._c10d_functional.all_reduce.default(alias_31, 'sum', '0');  alias_31 = None
        wait_tensor_15: "f32[][]cpu" = torch.ops._c10d_functional.wait_tensor.default(all_reduce_15);  all_reduce_15 = None
        div_24: "f32[][]cpu" = torch.ops.aten.div.Tensor(wait_tensor_15, 4);  wait_tensor_15 = None
        mul_55: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(arg15_1, 0.9);  arg15_1 = None
        add_23: "f32[12, 16][16, 1]cpu" = torch.ops.aten.add.Tensor(mul_55, div_9);  mul_55 = div_9 = None
        mul_56: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(arg16_1, 0.9);  arg16_1 = None
        add_24: "f32[16][1]cpu" = torch.ops.aten.add.Tensor(mul_56, div_10);  mul_56 = div_10 = None
        mul_57: "f32[16, 48][48, 1]cpu" = torch.ops.aten.mul.Tensor(arg17_1, 0.9);  arg17_1 = None
        add_25: "f32[16, 48][48, 1]cpu" = torch.ops.aten.add.Tensor(mul_57, div_11);  mul_57 = div_11 = None
        mul_58: "f32[16, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(arg18_1, 0.9);  arg18_1 = None
        add_26: "f32[16, 16][16, 1]cpu" = torch.ops.aten.add.Tensor(mul_58, div_12);  mul_58 = div_12 = None
        mul_59: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(arg19_1, 0.9);  arg19_1 = None
        add_27: "f32[16][1]cpu" = torch.ops.aten.add.Tensor(mul_59, div_13);  mul_59 = div_13 = None
        mul_60: "f32[16, 32][32, 1]cpu" = torch.ops.aten.mul.Tensor(arg20_1, 0.9);  arg20_1 = None
        add_28: "f32[16, 32][32, 1]cpu" = torch.ops.aten.add.Tensor(mul_60, div_14);  mul_60 = div_14 = None
        mul_61: "f32[32, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(arg21_1, 0.9);  arg21_1 = None
        add_29: "f32[32, 16][16, 1]cpu" = torch.ops.aten.add.Tensor(mul_61, div_15);  mul_61 = div_15 = None
        mul_62: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(arg22_1, 0.9);  arg22_1 = None
        add_30: "f32[16][1]cpu" = torch.ops.aten.add.Tensor(mul_62, div_16);  mul_62 = div_16 = None
        mul_63: "f32[16, 48][48, 1]cpu" = torch.ops.aten.mul.Tensor(arg23_1, 0.9);  arg23_1 = None
        add_31: "f32[16, 48][48, 1]cpu" = torch.ops.aten.add.Tensor(mul_63, div_17);  mul_63 = div_17 = None
        mul_64: "f32[16, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(arg24_1, 0.9);  arg24_1 = None
        add_32: "f32[16, 16][16, 1]cpu" = torch.ops.aten.add.Tensor(mul_64, div_18);  mul_64 = div_18 = None
        mul_65: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(arg25_1, 0.9);  arg25_1 = None
        add_33: "f32[16][1]cpu" = torch.ops.aten.add.Tensor(mul_65, div_19);  mul_65 = div_19 = None
        mul_66: "f32[16, 32][32, 1]cpu" = torch.ops.aten.mul.Tensor(arg26_1, 0.9);  arg26_1 = None
        add_34: "f32[16, 32][32, 1]cpu" = torch.ops.aten.add.Tensor(mul_66, div_20);  mul_66 = div_20 = None
        mul_67: "f32[32, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(arg27_1, 0.9);  arg27_1 = None
        add_35: "f32[32, 16][16, 1]cpu" = torch.ops.aten.add.Tensor(mul_67, div_21);  mul_67 = div_21 = None
        mul_68: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(arg28_1, 0.9);  arg28_1 = None
        add_36: "f32[16][1]cpu" = torch.ops.aten.add.Tensor(mul_68, div_22);  mul_68 = div_22 = None
        mul_69: "f32[16, 12][12, 1]cpu" = torch.ops.aten.mul.Tensor(arg29_1, 0.9);  arg29_1 = None
        add_37: "f32[16, 12][12, 1]cpu" = torch.ops.aten.add.Tensor(mul_69, div_23);  mul_69 = div_23 = None
        alias_32: "f32[12, 16][16, 1]cpu" = torch.ops.aten.alias.default(alias);  alias = None
        mul_70: "f32[12, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(add_23, 0.05)
        sub: "f32[12, 16][16, 1]cpu" = torch.ops.aten.sub.Tensor(alias_32, mul_70);  alias_32 = mul_70 = None
        alias_33: "f32[16][1]cpu" = torch.ops.aten.alias.default(alias_1);  alias_1 = None
        mul_71: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(add_24, 0.05)
        sub_1: "f32[16][1]cpu" = torch.ops.aten.sub.Tensor(alias_33, mul_71);  alias_33 = mul_71 = None
        alias_34: "f32[16, 48][48, 1]cpu" = torch.ops.aten.alias.default(alias_2);  alias_2 = None
        mul_72: "f32[16, 48][48, 1]cpu" = torch.ops.aten.mul.Tensor(add_25, 0.05)
        sub_2: "f32[16, 48][48, 1]cpu" = torch.ops.aten.sub.Tensor(alias_34, mul_72);  alias_34 = mul_72 = None
        alias_35: "f32[16, 16][16, 1]cpu" = torch.ops.aten.alias.default(alias_3);  alias_3 = None
        mul_73: "f32[16, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(add_26, 0.05)
        sub_3: "f32[16, 16][16, 1]cpu" = torch.ops.aten.sub.Tensor(alias_35, mul_73);  alias_35 = mul_73 = None
        alias_36: "f32[16][1]cpu" = torch.ops.aten.alias.default(alias_4);  alias_4 = None
        mul_74: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(add_27, 0.05)
        sub_4: "f32[16][1]cpu" = torch.ops.aten.sub.Tensor(alias_36, mul_74);  alias_36 = mul_74 = None
        alias_37: "f32[16, 32][32, 1]cpu" = torch.ops.aten.alias.default(alias_5);  alias_5 = None
        mul_75: "f32[16, 32][32, 1]cpu" = torch.ops.aten.mul.Tensor(add_28, 0.05)
        sub_5: "f32[16, 32][32, 1]cpu" = torch.ops.aten.sub.Tensor(alias_37, mul_75);  alias_37 = mul_75 = None
        alias_38: "f32[32, 16][16, 1]cpu" = torch.ops.aten.alias.default(alias_6);  alias_6 = None
        mul_76: "f32[32, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(add_29, 0.05)
        sub_6: "f32[32, 16][16, 1]cpu" = torch.ops.aten.sub.Tensor(alias_38, mul_76);  alias_38 = mul_76 = None
        alias_39: "f32[16][1]cpu" = torch.ops.aten.alias.default(alias_7);  alias_7 = None
        mul_77: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(add_30, 0.05)
        sub_7: "f32[16][1]cpu" = torch.ops.aten.sub.Tensor(alias_39, mul_77);  alias_39 = mul_77 = None
        alias_40: "f32[16, 48][48, 1]cpu" = torch.ops.aten.alias.default(alias_8);  alias_8 = None
        mul_78: "f32[16, 48][48, 1]cpu" = torch.ops.aten.mul.Tensor(add_31, 0.05)
        sub_8: "f32[16, 48][48, 1]cpu" = torch.ops.aten.sub.Tensor(alias_40, mul_78);  alias_40 = mul_78 = None
        alias_41: "f32[16, 16][16, 1]cpu" = torch.ops.aten.alias.default(alias_9);  alias_9 = None
        mul_79: "f32[16, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(add_32, 0.05)
        sub_9: "f32[16, 16][16, 1]cpu" = torch.ops.aten.sub.Tensor(alias_41, mul_79);  alias_41 = mul_79 = None
        alias_42: "f32[16][1]cpu" = torch.ops.aten.alias.default(alias_10);  alias_10 = None
        mul_80: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(add_33, 0.05)
        sub_10: "f32[16][1]cpu" = torch.ops.aten.sub.Tensor(alias_42, mul_80);  alias_42 = mul_80 = None
        alias_43: "f32[16, 32][32, 1]cpu" = torch.ops.aten.alias.default(alias_11);  alias_11 = None
        mul_81: "f32[16, 32][32, 1]cpu" = torch.ops.aten.mul.Tensor(add_34, 0.05)
        sub_11: "f32[16, 32][32, 1]cpu" = torch.ops.aten.sub.Tensor(alias_43, mul_81);  alias_43 = mul_81 = None
        alias_44: "f32[32, 16][16, 1]cpu" = torch.ops.aten.alias.default(alias_12);  alias_12 = None
        mul_82: "f32[32, 16][16, 1]cpu" = torch.ops.aten.mul.Tensor(add_35, 0.05)
        sub_12: "f32[32, 16][16, 1]cpu" = torch.ops.aten.sub.Tensor(alias_44, mul_82);  alias_44 = mul_82 = None
        alias_45: "f32[16][1]cpu" = torch.ops.aten.alias.default(alias_13);  alias_13 = None
        mul_83: "f32[16][1]cpu" = torch.ops.aten.mul.Tensor(add_36, 0.05)
        sub_13: "f32[16][1]cpu" = torch.ops.aten.sub.Tensor(alias_45, mul_83);  alias_45 = mul_83 = None
        alias_46: "f32[16, 12][12, 1]cpu" = torch.ops.aten.alias.default(alias_14);  alias_14 = None
        mul_84: "f32[16, 12][12, 1]cpu" = torch.ops.aten.mul.Tensor(add_37, 0.05)
        sub_14: "f32[16, 12][12, 1]cpu" = torch.ops.aten.sub.Tensor(alias_46, mul_84);  alias_46 = mul_84 = None
        return (div_24, sub, sub_1, sub_2, sub_3, sub_4, sub_5, sub_6, sub_7, sub_8, sub_9, sub_10, sub_11, sub_12, sub_13, sub_14, add_23, add_24, add_25, add_26, add_27, add_28, add_29, add_30, add_31, add_32, add_33, add_34, add_35, add_36, add_37)
