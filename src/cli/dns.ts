import { Argument, type Command } from 'commander';
import type { Commands, Controlled } from '../playground/control.ts';
import { parseRecord, RecordRefused, type SimulatedRecord } from '../playground/dns/simulated-record.ts';
import { FAULTS, type LoggedQuery, type SimulatedFault } from '../playground/dns/simulator.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../playground/ready.ts';
import { noPlayground, serverAt, startCommand, unreachable } from './api-client.ts';
import { CliError, EXIT } from './cli-error.ts';
import {
  type DataOptions,
  DEFAULT_DATA,
  dataFlag,
  dataOption,
  define,
  group,
  jsonOption,
  parseCount,
} from './options.ts';
import { type Column, clockTime, harmless, paint, show, table } from './output.ts';
import { recordsTable, type ShownDomain } from './show-domain.ts';

const RECORD_COLUMNS: Column<SimulatedRecord>[] = [
  { title: 'Name', text: ({ name }) => name },
  { title: 'Type', text: ({ type }) => type },
  { title: 'Value', text: ({ values }) => values.join(', ') },
  { title: 'TTL', text: ({ ttl }) => String(ttl) },
];

const FAULT_COLUMNS: Column<SimulatedFault>[] = [
  { title: 'Name', text: ({ name }) => name },
  { title: 'Fault', text: ({ fault }) => fault ?? '' },
  { title: 'Delay', text: ({ delayMs }) => (delayMs === 0 ? '' : `${delayMs} ms`) },
];

const QUERY_COLUMNS: Column<LoggedQuery>[] = [
  { title: 'Time', text: ({ at }) => clockTime(at) },
  { title: 'Name', text: ({ name }) => name },
  { title: 'Type', text: ({ type }) => type },
  { title: 'Answer', text: ({ rcode }) => rcode },
  { title: 'Over', text: ({ transport }) => transport.toUpperCase() },
];

/** Types that stand where a routing record goes, so that no two of them can be at one name. */
const ROUTING_TYPES = ['A', 'AAAA', 'ALIAS', 'CNAME'];

export function addDns(program: Command): void {
  const dns = group(program, 'dns', "The records of the playground's DNS simulator: your DNS panel, in a way.", [
    'nameplate dns publish shop.example.com',
    'nameplate dns set shop.example.com CNAME elsewhere.example.net',
  ]);
  addSet(dns);
  addRemove(dns);
  addPublish(dns);
  addFail(dns);
  addList(dns);
  addLog(dns);
}

function addSet(dns: Command): void {
  const summary = "Replace the name's records of a type, with one record for each value.";
  const examples = [
    'nameplate dns set shop.example.com CNAME elsewhere.example.net',
    'nameplate dns set example.com TXT "first" "second" --ttl 300',
    'nameplate dns set example.com CAA 0 issue "letsencrypt.org"',
  ];
  simulatorOptions(define(dns, 'set <name> <type> <value...>', summary, examples))
    .option('--ttl <seconds>', 'seconds a resolver may cache the records (default: 60)', parseCount)
    .action(async (name: string, type: string, values: string[], options: DataOptions & { ttl?: number }) => {
      const record = {
        name,
        type,
        values: joined(type, values),
        ...(options.ttl !== undefined && { ttl: options.ttl }),
      };
      refuseMistyped(record);
      const playground = await findPlayground(options);
      await steer(playground, 'set', record);
      show(options, record, () => `Set ${harmless(`${type.toUpperCase()} ${name}`)}.`);
    });
}

/** A CAA record in the three words of a zone file is one value; the shell has taken its quotation marks away. */
function joined(type: string, values: string[]): string[] {
  const [flags = '', tag = '', value = ''] = values;
  const isOne = type.toUpperCase() === 'CAA' && values.length === 3 && /^\d+$/.test(flags);
  return isOne ? [`${flags} ${tag} "${value.replace(/^"(.*)"$/, '$1')}"`] : values;
}

function addRemove(dns: Command): void {
  const summary = "Remove a name's records of a type; without a type all of them, and its faults.";
  const examples = ['nameplate dns remove shop.example.com', 'nameplate dns remove _service.shop.example.com TXT'];
  simulatorOptions(define(dns, 'remove <name> [type]', summary, examples)).action(
    async (name: string, type: string | undefined, options: DataOptions) => {
      const { removed } = await steer(await findPlayground(options), 'remove', { name, ...(type && { type }) });
      show(options, { name, ...(type && { type }), removed }, () =>
        removed ? `Removed ${harmless(name)}.` : `There was nothing at ${harmless(name)}.`,
      );
    },
  );
}

function addPublish(dns: Command): void {
  const summary = 'Publish all the records that a domain needs, as its owner would.';
  simulatorOptions(define(dns, 'publish <domain>', summary, ['nameplate dns publish shop.example.com'])).action(
    async (name: string, options: DataOptions) => {
      const playground = await findPlayground(options);
      const server = serverAt(playground.api, playground.rootKey, playground, options.data);
      const { domain, dnsRecords } = await server.call<ShownDomain>('domains.getDomain', { domain: name });
      for (const record of dnsRecords) {
        const inTheWay = ROUTING_TYPES.includes(record.type)
          ? ROUTING_TYPES.filter((type) => type !== record.type)
          : [];
        for (const type of inTheWay) await steer(playground, 'remove', { name: record.name, type });
        await steer(playground, 'set', {
          name: record.name,
          type: record.type,
          values: [record.value],
          ttl: record.ttl,
        });
      }
      show(options, dnsRecords, () => {
        const next = `./bin/nameplate domains wait ${harmless(domain)} --certificate${dataFlag(options.data)}`;
        return ['Published in the simulator:', '', recordsTable(dnsRecords), '', `Next: ${paint('bold', next)}`].join(
          '\n',
        );
      });
    },
  );
}

function addFail(dns: Command): void {
  const fault = new Argument('<fault>', 'what queries for this name meet').choices([...FAULTS, 'none']);
  const examples = ['nameplate dns fail shop.example.com servfail', 'nameplate dns fail shop.example.com none'];
  simulatorOptions(define(dns, 'fail <name>', 'Let every query for exactly this name fail; none ends it.', examples))
    .addArgument(fault)
    .action(async (name: string, fault: Commands['fail']['fault'], options: DataOptions) => {
      await steer(await findPlayground(options), 'fail', { name, fault });
      const words =
        fault === 'none' ? `Queries for ${name} are answered again.` : `Queries for ${name} now meet: ${fault}.`;
      show(options, { name, fault }, () => harmless(words));
    });
}

function addList(dns: Command): void {
  simulatorOptions(define(dns, 'list', 'List the records and faults that are set.', ['nameplate dns list'])).action(
    async (options: DataOptions) => {
      const set = await steer(await findPlayground(options), 'list', {});
      show(options, set, ({ records, faults }) => {
        const parts = [records.length === 0 ? 'No records are set.' : table(RECORD_COLUMNS, records)];
        if (faults.length > 0) parts.push('', table(FAULT_COLUMNS, faults));
        return parts.join('\n');
      });
    },
  );
}

function addLog(dns: Command): void {
  const summary = 'List the queries that the simulator was asked last, oldest first.';
  simulatorOptions(define(dns, 'log', summary, ['nameplate dns log'])).action(async (options: DataOptions) => {
    const queries = await steer(await findPlayground(options), 'log', {});
    show(options, queries, (rows) => (rows.length === 0 ? 'No queries yet.' : table(QUERY_COLUMNS, rows)));
  });
}

function simulatorOptions(command: Command): Command {
  return jsonOption(dataOption(command));
}

/** A playground, and the command that starts it. */
interface Found extends PlaygroundFile {
  starter: string;
}

async function findPlayground({ data }: DataOptions): Promise<Found> {
  const file = await readPlaygroundFile(data ?? DEFAULT_DATA);
  if (file === null) throw noPlayground(data);
  return { ...file, starter: startCommand(data) };
}

/** Asks the running playground to do something with its simulator. Throws `CliError`. */
async function steer<C extends keyof Commands>(
  { control, rootKey, starter }: Found,
  command: C,
  body: Commands[C],
): Promise<Controlled[C]> {
  const request = { method: 'POST', headers: { authorization: `Bearer ${rootKey}` }, body: JSON.stringify(body) };
  const response = await fetch(`${control}/${command}`, request).catch((error: unknown) => {
    throw unreachable(error, control, starter);
  });
  const answer = (await response.json()) as Controlled[C] & { message?: string };
  if (!response.ok) throw new CliError(answer.message ?? `The playground answered with status ${response.status}.`);
  return answer;
}

/** Throws `CliError` where what was typed is no record, whatever else is set. */
function refuseMistyped({ name, type, values, ttl }: Commands['set']): void {
  try {
    parseRecord(name, type, values, ttl);
  } catch (error) {
    if (!(error instanceof RecordRefused)) throw error;
    throw new CliError(error.message, { exitCode: EXIT.usage });
  }
}
