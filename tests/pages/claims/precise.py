"""Where a short wording says more than can be shown: what the screen adds to it, and what it never says.

The clauses are those of a lecture that is easily oversold. Each names the text that carries it and words that
must stand in it, in Chinese and in English.
"""

CLAUSES = {
    "attention has the weakest bias: weaker than convolution and RNN, a dense layer has less still": (
        "bias_and_cost",
        "assumes.says",
        ("全连接层", "卷积", "RNN"),
        ("fully connected layer takes even less", "convolution and RNN"),
    ),
    "a convolution cannot reach: with so many layers, read out at one word, and more or dilated ones can": (
        "local_conv",
        "reach.text",
        ("这里读", "再加层", "空洞"),
        ("Read out at this one word", "add layers", "dilation"),
    ),
    "no fixed place is right: in more than half of the sentences, by more than the luck of the draw": (
        "local_conv",
        "it_moves.says_lucky",
        ("只因抽样", "成对"),
        ("luck of the draw", "minimal pairs"),
    ),
    "an RNN loses the far word: at the start, before anything is learned": (
        "local_conv",
        "passing_on.text",
        ("没训练过", "起点"),
        ("Nothing here is trained", "where learning starts"),
    ),
    "a GRU fails on new pairs: it learns them later, not never": (
        "local_conv",
        "race.learned",
        ("{gru_step}", "学得晚，不是学不会"),
        ("{gru_step}", "later, not never"),
    ),
    "a convolution only guesses: no more can be expected of its field": (
        "local_conv",
        "race.says",
        ("{guess", "感受野只有这么大"),
        ("{guess", "with its field"),
    ),
    "no division does harm: not at small widths": (
        "soft_lookup",
        "why_scale.says_small",
        ("{d}",),
        ("no harm",),
    ),
    "the residual is the gradient's highway: with layer norm on, it keeps the words apart": (
        "block_anatomy",
        "deep.says_the_catch",
        ("层归一化", "词与词的不同"),
        ("with layer norm on", "keeps the words apart"),
    ),
    "a tower needs layer norm: here a smaller start stands in for it": (
        "block_anatomy",
        "take_one_away.note_no_norm",
        ("在这里", "小一点的起点"),
        ("Here", "smaller start"),
    ),
    "a tower needs its MLP, or the norm in front: without, it is slower on this task": (
        "block_anatomy",
        "take_one_away.note_no_mlp",
        ("softmax 自己就不是线性的", "只是慢"),
        ("itself nonlinear", "more slowly"),
    ),
    "a shuffle changes nothing: without mask and positions": (
        "self_attention",
        "order.says",
        ("没有遮罩", "没有位置编码"),
        ("no mask", "no positions"),
    ),
    "random weights look like a choice: they mean nothing": (
        "self_attention",
        "everyone.says",
        ("随机", "没有意义"),
        ("Random parameters", "mean nothing yet"),
    ),
    "a trained model is right: so many of so many, with the seed": (
        "self_attention",
        "order_trained.says",
        ("{seed}", "{count}"),
        ("{seed}", "{count}"),
    ),
    "a tiny GPT writes: held out are pieces of the same text, whose lines may have sisters": (
        "block_anatomy",
        "tiny_gpt.source_zh",
        ("留出的句子", "相近的句子学过"),
        ("held-out line", "sister that was trained on"),
    ),
    "a tiny GPT beats counting pairs: as well as pairs can be smoothed": (
        "block_anatomy",
        "tiny_gpt.rivals",
        ("对它最有利",),
        ("suits it best",),
    ),
    "GPT and BERT differ by one mask: their attention does, the models in more": (
        "block_anatomy",
        "stack_it.text",
        ("注意力只差一个遮罩", "任务", "层归一化的位置", "分两段"),
        ("attention differs by one mask", "the task", "where layer norm stands", "two segments"),
    ),
    "GPT-2's paper counts another vocabulary: it fits, nobody said so": (
        "block_anatomy",
        "stack_it.why_gpt2",
        ("没有说错在哪里", "不能证明"),
        ("and not which", "proves no cause"),
    ),
    "attention can be a convolution: its parameters were written down, not learned": (
        "bias_and_cost",
        "as_convolution.says_padded",
        ("照公式写定", "另一回事"),
        ("written down", "another question"),
    ),
    "it takes nine heads: on a grey picture fewer do": (
        "bias_and_cost",
        "as_convolution.few_heads",
        ("不一定要九个", "{enough:d} 个就能逼近"),
        ("need not be the fewest", "approached by {enough:d}"),
    ),
    "a convolution cannot: with a fixed window, read at the question": (
        "bias_and_cost",
        "data.note_far",
        ("固定的窗口", "在问题处读出"),
        ("fixed window", "read at the question"),
    ),
    "the weakest bias: an MLP assumes less still": (
        "bias_and_cost",
        "data.says_local",
        ("谁跟谁相连", "MLP 更少"),
        ("who connects to whom", "the MLP less still"),
    ),
    "unequal terms are told": (
        "bias_and_cost",
        "terms",
        ("条件并不相等",),
        ("Unequal terms",),
    ),
    "trained heads are local: one solution among several": (
        "bias_and_cost",
        "turning_local.says_no_need",
        ("一种解法", "不是非此不可"),
        ("one solution, not a need",),
    ),
    "n x n is dear, but parallel: threads are not measured": (
        "bias_and_cost",
        "parallel.says",
        ("没有量", "不作声称"),
        ("not measured and not claimed",),
    ),
    "many processors: a model": (
        "bias_and_cost",
        "parallel.model_picture",
        ("模型",),
        ("A model, no measurement",),
    ),
    "figures of papers: with table and version": (
        "bias_and_cost",
        "real_models.note",
        ("Devlin", "arXiv:1810.04805v2", "Radford", "2019", "表 2", "Brown", "arXiv:2005.14165v4", "表 2.1"),
        (
            "Devlin",
            "arXiv:1810.04805v2",
            "Radford",
            "2019",
            "table 2",
            "Brown",
            "arXiv:2005.14165v4",
            "table 2.1",
        ),
    ),
    "the share of n x n: without a causal halving": (
        "bias_and_cost",
        "share.note",
        ("没有因为因果遮罩减半",),
        ("not halved by a causal mask",),
    ),
}

FORBIDDEN = {  # in any text
    "zh": r"100 ?%|百分之百|卷积[^。；]{0,8}(永远|绝对|根本)不|注意力[^。；]{0,6}(永远|总能|一定)|完全不会忘|"
    r"(模型|网络|注意力|Transformer)(真的|终于)?(理解|懂得|明白)|免费的",
    "en": r"(?i)\b100 ?%|\bconvolutions? (can |could |will )?never\b|\battention (can |will )?always\b|"
    r"\b(model|network|attention|transformer)s? (really |truly )?understands?\b|\bfor free\b|\bguarantee",
}
