"""The parallel steps that captured_rank.py captures."""

# Each case: axes of the mesh, and which of them replicate and shard parameters, are tensor parallel, cut the sequence
# (context parallel; `rotate` is how keys and values reach the other ranks, and `balanced` ranks hold a block from the
# head and one from the tail), and hold experts.
CASES = {
    "tp2": dict(mesh={"tp": 2}, tp="tp"),
    "tp4": dict(mesh={"tp": 4}, tp="tp", layers=3),
    "tp2_sp": dict(mesh={"tp": 2}, tp="tp", sequence=True),
    "tp4_sp": dict(mesh={"tp": 4}, tp="tp", sequence=True),
    "ddp2": dict(mesh={"dp": 2}, replicate="dp"),
    "fsdp2": dict(mesh={"fsdp": 2}, shard="fsdp"),
    "fsdp4": dict(mesh={"fsdp": 4}, shard="fsdp", layers=3),
    "hsdp2x2": dict(mesh={"rep": 2, "fsdp": 2}, replicate="rep", shard="fsdp"),
    "fsdp2_tp2": dict(mesh={"fsdp": 2, "tp": 2}, shard="fsdp", tp="tp"),
    "fsdp2_tp2_sp": dict(mesh={"fsdp": 2, "tp": 2}, shard="fsdp", tp="tp", sequence=True),
    "cp2": dict(mesh={"cp": 2}, replicate="cp", cp="cp"),
    "cp4_alltoall": dict(mesh={"cp": 4}, replicate="cp", cp="cp", rotate="alltoall"),
    "cp2_balanced": dict(mesh={"cp": 2}, replicate="cp", cp="cp", balanced=True),
    "cp4_balanced": dict(mesh={"cp": 4}, replicate="cp", cp="cp", balanced=True, rotate="alltoall"),
    "fsdp2_cp2": dict(mesh={"fsdp": 2, "cp": 2}, shard="fsdp", replicate="cp", cp="cp"),
    "moe_ddp2": dict(mesh={"dp": 2}, replicate="dp", moe=True),
    "moe_fsdp2": dict(mesh={"fsdp": 2}, shard="fsdp", moe=True),
    "moe_ep2": dict(mesh={"ep": 2}, replicate="ep", ep="ep", moe=True),
    "moe_ep4": dict(mesh={"ep": 4}, replicate="ep", ep="ep", moe=True),
}
