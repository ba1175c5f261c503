import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

const STANDARD_OUTPUT = 1;
const WARN = 40;

/** Bytes that a pipe takes in one piece (`PIPE_BUF` of Linux): lines of several threads do not mix. */
const ATOMIC_WRITE = 4096;

/**
 * Redacted top-level fields: a second defence, since nothing should log them. Redacting nested fields would cost a
 * fifth of the throughput.
 */
const SECRETS = ['authorization', 'rootKey', 'key', 'token', 'password', 'secret'];

/** JSON lines, to standard output unless given. */
export function createLog(level: LogLevel, destination: DestinationStream = toStandardOutput()): Log {
  return pino({ level, redact: SECRETS }, destination);
}

let standardOutput: DestinationStream | undefined;

/** All logs of a thread share it: their lines stay in order. */
function toStandardOutput(): DestinationStream {
  standardOutput ??= createStandardOutput();
  return standardOutput;
}

/**
 * Writes the lines of one turn of the event loop together, at its end; and at once where one is a warning or worse. A
 * process that ends by itself or by an error loses no line; one that is killed loses at most those of its last turn.
 * pino's default is another thread that writes, which costs more.
 */
function createStandardOutput(): DestinationStream {
  blockWhileFull(process.stdout);
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: true });
  let lines = '';
  let bytes = 0;

  function flush(): void {
    if (lines === '') return;
    const text = lines;
    lines = '';
    bytes = 0;
    output.write(text);
  }

  process.on('exit', flush);
  return {
    // pino sets `lastLevel` before each line because of this symbol.
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line) {
      const size = Buffer.byteLength(line);
      if (bytes + size > ATOMIC_WRITE) flush();
      if (bytes === 0) setImmediate(flush);
      lines += line;
      bytes += size;
      if (this.lastLevel >= WARN) flush();
    },
  } as DestinationStream & { lastLevel: number };
}

/**
 * Node makes pipes and sockets non-blocking as soon as a worker thread starts. If one is full, pino would sleep for 100
 * ms.
 */
function blockWhileFull(stream: NodeJS.WriteStream & { _handle?: { setBlocking?(on: boolean): void } }): void {
  stream._handle?.setBlocking?.(true);
}
