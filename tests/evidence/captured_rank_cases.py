"""The parallel steps that captured_rank.py captures."""

# Each case: axes of the mesh, and which of them shard parameters, are tensor parallel, and hold experts.
CASES = {
    "tp2": dict(mesh={"tp": 2}, tp="tp"),
    "tp4": dict(mesh={"tp": 4}, tp="tp", layers=3),
    "tp2_sp": dict(mesh={"tp": 2}, tp="tp", sequence=True),
    "tp4_sp": dict(mesh={"tp": 4}, tp="tp", sequence=True),
    "ddp2": dict(mesh={"dp": 2}, replicate="dp"),
    "fsdp2": dict(mesh={"fsdp": 2}, shard="fsdp"),
    "fsdp4": dict(mesh={"fsdp": 4}, shard="fsdp", layers=3),
    "hsdp2x2": dict(mesh={"rep": 2, "fsdp": 2}, replicate="rep", shard="fsdp"),
    "moe_ddp2": dict(mesh={"dp": 2}, replicate="dp", moe=True),
    "moe_fsdp2": dict(mesh={"fsdp": 2}, shard="fsdp", moe=True),
    "moe_ep2": dict(mesh={"ep": 2}, replicate="ep", ep="ep", moe=True),
    "moe_ep4": dict(mesh={"ep": 4}, replicate="ep", ep="ep", moe=True),
}
