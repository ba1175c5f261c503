import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../server/src/base/clock.ts';
import { loadCatalogue } from '../server/src/cli/catalogue.ts';
import { CliError } from '../server/src/cli/cli-error.ts';
import { makeDataDir, type Ready } from '../server/src/cli/data-dir.ts';
import { type DataOptions, DEFAULT_DATA, dataCommand, IS_CLONE, PROGRAM } from '../server/src/cli/options.ts';
import { paint, print, printable, shortDuration, wrap } from '../server/src/cli/output/output.ts';
import { describeDiagnosis, type ShownDiagnosis } from '../server/src/cli/output/show-diagnosis.ts';
import { untilSignal } from '../server/src/cli/signals.ts';
import { readPlaygroundConfig } from '../server/src/config/config.ts';
import type { Playground } from './playground.ts';
import type { Step } from './step.ts';

/** Short intervals, so that the demo takes seconds. */
const CHECK_INTERVAL_MS = 1000;
const ANY_PORTS = { port: 0, dnsPort: 0, edgeHttpPort: 0, edgeHttpsPort: 0 };

export function addDemo(program: Command): void {
  const summary =
    'Add one domain, serve it over HTTPS and delete it again, with a webhook. Shows each real request, response and DNS record. Takes a few seconds.';
  const json = 'print each step as a JSON document on its own line';
  dataCommand(program, 'demo', summary, [''], json).action(run);
}

async function run(options: DataOptions): Promise<void> {
  const clock = systemClock;
  const startedAt = clock.now();
  const config = { ...readPlaygroundConfig(undefined, (await loadCatalogue()).operations), metricsListen: null };
  const interrupted = untilSignal().then((signal) => {
    throw new CliError(`The demo was stopped by ${signal}.`);
  });
  // The race below handles a failure, or nobody does.
  interrupted.catch(() => {});
  const { startPlayground, playStory, log, statusText } = await load();
  const parent = options.data ?? DEFAULT_DATA;
  await makeDataDir(parent);
  const dataDir = await mkdtemp(join(parent, 'demo-'));
  let playground: Playground | undefined;
  try {
    const timing = { clock, checkIntervalMs: CHECK_INTERVAL_MS };
    playground = await startPlayground({ dataDir, ...ANY_PORTS, config, log, ...timing });
    const onStep = options.json
      ? (step: Step) => print(JSON.stringify(step))
      : stepPrinter(playground.ready, statusText);
    await Promise.race([playStory(playground, clock, onStep), interrupted]);
  } finally {
    await playground?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  const ms = clock.now() - startedAt;
  if (options.json) print(JSON.stringify({ title: 'It all worked', seconds: ms / 1000 }));
  else
    print(
      `${paint('green', 'It all worked')}, in ${shortDuration(ms)}. To try it yourself: ${paint('bold', IS_CLONE ? 'npm start' : `${PROGRAM} dev`)}`,
    );
}

/** The server's code, which other commands do not load. */
async function load() {
  const [{ startPlayground }, { playStory }, { plainLog }, { createLog }, { STATUS_CODES }] = await Promise.all([
    import('./playground.ts'),
    import('./story.ts'),
    import('./plain-log.ts'),
    import('../server/src/base/log.ts'),
    import('node:http'),
  ]);
  const log = createLog(
    'warn',
    plainLog((line) => process.stderr.write(`nameplate: ${printable(line)}\n`)),
  );
  return { startPlayground, playStory, log, statusText: STATUS_CODES };
}

/** Prints the steps for people, numbered. */
function stepPrinter({ api, dns, edge }: Ready, statusText: Record<number, string | undefined>): (step: Step) => void {
  print(`\n${paint('bold', 'One domain, from nothing to HTTPS')}\n`);
  const addresses = `The API is at ${api}, DNS at ${dns}, the edge at ${edge.https}.`;
  print(`${wrap(`Every request and response below is real. ${addresses}`, 0)}\n`);
  let number = 0;
  let before: Fields = {};
  return ({ title, zone, request, answer }) => {
    number += 1;
    print(`${paint('bold', `${number}.`.padEnd(4))}${wrap(title, 4)}\n`);
    for (const { name, type, value } of zone ?? []) {
      print(`    ${paint('cyan', `${name}. ${type} ${type === 'TXT' ? `"${value}"` : `${value}.`}`)}`);
    }
    if (request?.path === '/v2/domains.diagnoseDomain' && answer) {
      const diagnosis = dataOf(answer.body) as ShownDiagnosis;
      const shown = describeDiagnosis(diagnosis, systemClock.now()).replace(/^(?=.)/gm, '    ');
      print(`    ${paint('cyan', `${PROGRAM} domains diagnose ${diagnosis.domain}`)}\n\n${shown}\n`);
      return;
    }
    if (request) {
      const fields = Object.entries(request.fields ?? {}).map(([name, value]) => `    ${name}: ${value}\n`);
      const body = request.body === undefined ? '' : `    ${formatJson(request.body)}${answer ? '\n' : ''}`;
      print(`    ${paint('cyan', `${request.method} ${request.path}`)}\n${fields.join('')}${body}`);
    }
    if (answer) {
      const { status, body } = answer;
      const text = typeof body === 'string' ? printable(body.trim()) : formatJson(changes(body, before));
      print(`    ${paint('cyan', `${status} ${statusText[status]}`)}${text === '' ? '' : `\n    ${text}`}`);
      before = dataOf(body);
    }
    print('');
  };
}

type Fields = Record<string, unknown>;

/** Returns a response without the fields that are equal in the one before; the status is always shown. */
function changes(body: unknown, before: Fields): unknown {
  const fields = Object.entries(dataOf(body));
  const changed = fields.filter(
    ([key, value]) => key === 'status' || JSON.stringify(value) !== JSON.stringify(before[key]),
  );
  const rest = changed.length < fields.length ? { [UNCHANGED]: undefined } : {};
  return { ...(body as Fields), data: { ...Object.fromEntries(changed), ...rest } };
}

function dataOf(body: unknown): Fields {
  return typeof body === 'string' ? {} : ((body as { data?: Fields }).data ?? {});
}

const UNCHANGED = '… the rest is unchanged';
const MAX_LINE = 76;
const MAX_NOTE = 40;

/** JSON with a value on one line if it fits, long notes truncated, and keys without a value as plain text. */
function formatJson(value: unknown, depth = 4): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const isArray = Array.isArray(value);
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    isArray ? '' : inner === undefined ? key : `${JSON.stringify(key)}: `,
    key === 'note' ? truncate(String(inner)) : inner,
  ]);
  const [open, close] = isArray ? ['[', ']'] : ['{', '}'];
  const space = isArray || entries.length === 0 ? '' : ' ';
  const line = `${open}${space}${entries.map(([label, inner]) => label + formatJson(inner, Number.NEGATIVE_INFINITY)).join(', ')}${space}${close}`;
  if (depth + line.length <= MAX_LINE) return line;
  const indent = ' '.repeat(depth + 2);
  const lines = entries.map(([label, inner]) => indent + label + formatJson(inner, depth + 2));
  return `${open}\n${lines.join(',\n')}\n${' '.repeat(depth)}${close}`;
}

function truncate(note: string): string {
  return note.length > MAX_NOTE ? `${note.slice(0, note.lastIndexOf(' ', MAX_NOTE))} …` : note;
}
