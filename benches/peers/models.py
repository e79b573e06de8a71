"""onnxruntime's side of the models benchmark: runs a model each time it is asked to.

models.py MODEL THREADS SIZE...: reads that many float32 from standard input, answers with the numbers of the last output
(a line with their count, then float32), then with the seconds of one run for every line it reads.
"""

import sys
import time

import numpy as np
import onnxruntime

path, threads, *shape = sys.argv[1:]
shape = [int(n) for n in shape]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(threads)
# Threads that wait by spinning would take the processor from the other side.
options.add_session_config_entry("session.intra_op.allow_spinning", "0")
options.log_severity_level = 3
session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
name = session.get_inputs()[0].name
x = np.frombuffer(sys.stdin.buffer.read(4 * int(np.prod(shape))), np.float32).reshape(shape)
last = session.run(None, {name: x})[-1]
if isinstance(last, list):
    # A list of {class: probability}.
    last = [list(row.values()) for row in last]
last = np.asarray(last, np.float32).ravel()
out = sys.stdout.buffer
out.write(b"%d\n" % last.size + last.tobytes())
out.flush()
for _ in sys.stdin.buffer:
    start = time.perf_counter()
    session.run(None, {name: x})
    out.write(b"%.9f\n" % (time.perf_counter() - start))
    out.flush()
