"""Makes mixed.parquet (snappy, several row groups), gzip.parquet and zstd.parquet.

Made with pyarrow; its version stands in the files. Row i has the values that the test computes again.
"""
import datetime as dt
import decimal
import pyarrow as pa
import pyarrow.parquet as pq

N = 40
every = lambda f, gap=7: [None if i % gap == 3 else f(i) for i in range(N)]
table = pa.table({
    "small": pa.array(every(lambda i: i - 20), pa.int8()),
    "count": pa.array(every(lambda i: i * 1000), pa.int64()),
    "single": pa.array(every(lambda i: i / 8), pa.float32()),
    "double": pa.array(every(lambda i: i / 10), pa.float64()),
    "money": pa.array(every(lambda i: decimal.Decimal(i) / 4), pa.decimal128(10, 2)),
    "key": pa.array([2**60 + 1 + i for i in range(N)], pa.int64()),
    "flag": pa.array(every(lambda i: i % 2 == 0)),
    "colour": pa.array(every(lambda i: ["red", "green", "blue"][i % 3])),
    "dictionary": pa.array(every(lambda i: ["x", "y"][i % 2])).dictionary_encode(),
    "remark": pa.array(every(lambda i: f"remark number {i}")),
    "day": pa.array(every(lambda i: dt.date(1970, 1, 1) + dt.timedelta(days=i)), pa.date32()),
    "moment": pa.array(every(lambda i: i * 1_500_000), pa.timestamp("us")),
    "list": pa.array([[i] for i in range(N)]),
})
pq.write_table(table, "mixed.parquet", row_group_size=15)
few = table.select(["count", "colour"])
pq.write_table(few, "gzip.parquet", compression="gzip")
pq.write_table(few, "zstd.parquet", compression="zstd")
