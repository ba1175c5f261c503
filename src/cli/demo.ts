import { mkdtemp, rm } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { readPlaygroundConfig } from '../config/config.ts';
import type { Playground } from '../playground/playground.ts';
import { makeDataDir, type Ready } from '../playground/ready.ts';
import type { Step } from '../playground/story.ts';
import { loadCatalogue } from './catalogue.ts';
import { CliError } from './cli-error.ts';
import { type DataOptions, DEFAULT_DATA, dataOption, define, jsonOption } from './options.ts';
import { harmless, paint, print, span, wrap } from './output.ts';
import { untilSignal } from './signals.ts';

/** Short, so that the story takes seconds. */
const CHECK_INTERVAL_MS = 1000;
const anyPorts = { port: 0, dnsPort: 0, edgeHttpPort: 0, edgeHttpsPort: 0 };

export function addDemo(program: Command): void {
  const summary =
    'Tell the story of one domain, from nothing to HTTPS, with real requests, answers and DNS. Takes seconds.';
  jsonOption(dataOption(define(program, 'demo', summary, ['nameplate demo']))).action(run);
}

async function run(options: DataOptions): Promise<void> {
  const clock = systemClock;
  const began = clock.now();
  const config = { ...readPlaygroundConfig(undefined, (await loadCatalogue()).operations), metricsListen: null };
  const interrupted = untilSignal().then((signal) => {
    throw new CliError(`The demo was stopped by ${signal}.`);
  });
  // Whether or not anybody is waiting for it at that moment.
  interrupted.catch(() => {});
  const { startPlayground, playStory, log } = await load();
  const parent = options.data ?? DEFAULT_DATA;
  await makeDataDir(parent);
  const dataDir = await mkdtemp(join(parent, 'demo-'));
  let playground: Playground | undefined;
  try {
    const timing = { clock, checkIntervalMs: CHECK_INTERVAL_MS };
    playground = await startPlayground({ dataDir, ...anyPorts, config, log, ...timing });
    const tell = options.json ? (step: Step) => print(JSON.stringify(step)) : narrate(playground.ready);
    await Promise.race([playStory(playground, clock, tell), interrupted]);
  } finally {
    await playground?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  const seconds = span(clock.now() - began);
  if (options.json) print(JSON.stringify({ title: 'It all worked', seconds: (clock.now() - began) / 1000 }));
  else print(`${paint('green', 'It all worked')}, in ${seconds}. To try it yourself: ${paint('bold', 'npm start')}`);
}

/** The server's code, which other commands do without. */
async function load() {
  const [{ startPlayground }, { playStory }, { narrator }, { createLog }] = await Promise.all([
    import('../playground/playground.ts'),
    import('../playground/story.ts'),
    import('../playground/narrator.ts'),
    import('../log.ts'),
  ]);
  const log = createLog(
    'warn',
    narrator((words) => process.stderr.write(`nameplate: ${harmless(words)}\n`)),
  );
  return { startPlayground, playStory, log };
}

/** Tells the story in words, step by step. */
function narrate({ api, dns, edge }: Ready): (step: Step) => void {
  print(`\n${paint('bold', 'One domain, from nothing to HTTPS')}\n`);
  print(
    `${wrap(`Every request and answer below is real. The API is at ${api}, DNS at ${dns}, the edge at ${edge.https}.`, 0)}\n`,
  );
  let number = 0;
  let before: Fields = {};
  return ({ title, zone, request, answer }) => {
    number += 1;
    print(`${paint('bold', `${number}.`.padEnd(4))}${wrap(title, 4)}\n`);
    for (const { name, type, value } of zone ?? []) {
      print(`    ${paint('cyan', `${name}. ${type} ${type === 'TXT' ? `"${value}"` : `${value}.`}`)}`);
    }
    if (request) {
      const body = request.body === undefined ? '' : `    ${inJson(request.body)}\n`;
      print(`    ${paint('cyan', `${request.method} ${request.path}`)}\n${body}`);
    }
    if (answer) {
      print(
        `    ${paint('cyan', `${answer.status} ${STATUS_CODES[answer.status]}`)}\n    ${inWords(answer.body, before)}`,
      );
      before = dataOf(answer.body);
    }
    print('');
  };
}

type Fields = Record<string, unknown>;

function inWords(answer: unknown, before: Fields): string {
  return typeof answer === 'string' ? harmless(answer.trim()) : inJson(news(answer, before));
}

/** An answer without what the answer before it said already; the status is always worth a line. */
function news(answer: unknown, before: Fields): unknown {
  const fields = Object.entries(dataOf(answer));
  const fresh = fields.filter(
    ([key, value]) => key === 'status' || JSON.stringify(value) !== JSON.stringify(before[key]),
  );
  const rest = fresh.length < fields.length ? { [AS_BEFORE]: undefined } : {};
  return { ...(answer as Fields), data: { ...Object.fromEntries(fresh), ...rest } };
}

function dataOf(answer: unknown): Fields {
  return typeof answer === 'string' ? {} : ((answer as { data?: Fields }).data ?? {});
}

const AS_BEFORE = '… the rest as before';
/** Longest line of JSON that is not broken up. */
const LINE = 76;
const NOTE = 40;

/** JSON for reading: what fits stays on one line, long notes are cut. */
function inJson(value: unknown, depth = 4): string {
  const flat = inLine(value);
  if (typeof value !== 'object' || value === null || depth + flat.length <= LINE) return flat;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const indent = ' '.repeat(depth + 2);
  const lines = Object.entries(value).map(([key, inner]) => {
    const shown = key === 'note' ? cut(String(inner)) : inner;
    return indent + (open === '[' ? '' : label(key, inner)) + (inner === undefined ? '' : inJson(shown, depth + 2));
  });
  return `${open}\n${lines.join(',\n')}\n${' '.repeat(depth)}${close}`;
}

function inLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`;
  const fields = Object.entries(value).map(([key, inner]) => label(key, inner) + inLine(inner));
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function label(key: string, value: unknown): string {
  return value === undefined ? key : `${JSON.stringify(key)}: `;
}

function cut(note: string): string {
  return note.length > NOTE ? `${note.slice(0, note.lastIndexOf(' ', NOTE))} …` : note;
}
