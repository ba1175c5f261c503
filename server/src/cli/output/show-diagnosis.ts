import { isIP } from 'node:net';
import type { Finding } from '../../../../client/api-types.ts';
import type { DiagnosisData, DiagnosisRecord, DiagnosisZone, RecordSeen } from '../../api/domains/diagnosis-schema.ts';
import type { NameCheck } from '../../api/domains/present-name.ts';
import { joinList, quote } from '../../domain/text.ts';
import { type Column, dateTime, paint, printable, shortDuration, table, wrap } from './output.ts';
import { paintStatus } from './show-domain.ts';

/** A diagnosis as the API returns it. */
export type ShownDiagnosis = DiagnosisData;
/** In part, as a newer server may show it too. */
export type ShownFinding = Pick<Finding, 'code' | 'severity' | 'message' | 'fix' | 'record'>;

/** Characters of a value that somebody else published; --json has all of it. */
const SEEN_LIMIT = 64;
const MOST_VALUES = 4;
/** Nameservers that are named; --json has all of them. */
const MOST_NAMED = 6;

const HEADINGS: Record<string, string> = { blocking: 'Problem', warning: 'Warning' };
const STYLES: Record<string, 'red' | 'yellow'> = { blocking: 'red', warning: 'yellow' };

/** Whether something has to be fixed before the domain is verified and served. */
export function isBlocked({ findings }: Pick<ShownDiagnosis, 'findings'>): boolean {
  return findings.some(({ severity }) => severity === 'blocking');
}

/** Shows the mistakes and the records to type, then the answer of each nameserver. */
export function describeDiagnosis(diagnosis: ShownDiagnosis, now: number): string {
  const { zone, records, findings } = diagnosis;
  return [
    wrap(headline(diagnosis), 0),
    ...(diagnosis.suspension === undefined ? [] : [wrap(describeSuspension(diagnosis.suspension), 0)]),
    ...(zone === undefined ? [] : [describeZone(zone)]),
    checks(diagnosis, now),
    ...findings.flatMap((finding) => ['', describeFinding(finding)]),
    ...records.flatMap((record) => ['', describeRecord(record, isWrong(record, findings))]),
  ].join('\n');
}

/** Writes `Problem: …`, and below it the fix. */
export function describeFinding({ code, severity, message, fix }: ShownFinding): string {
  const heading = `${paint([STYLES[severity] ?? 'cyan', 'bold'], HEADINGS[severity] ?? 'Note')} ${paint('dim', code)}`;
  const todo = fix === '' ? [] : [`  ${paint('bold', 'Fix:')} ${wrap(printable(fix), 7)}`];
  return [heading, `  ${wrap(printable(message), 2)}`, ...todo].join('\n');
}

function headline({ domain, status, checkedAt, findings }: ShownDiagnosis): string {
  const blocking = findings.filter(({ severity }) => severity === 'blocking').length;
  const name = `${printable(domain)} is ${paintStatus(status)}`;
  if (blocking > 0)
    return `${name}: ${blocking === 1 ? 'one problem has to be fixed' : `${blocking} problems were found`}.`;
  if (checkedAt === undefined) return `${name}.`;
  if (findings.some(({ code }) => code === 'resolvers_unreachable')) return `${name}. It could not be looked at.`;
  if (status === 'verified') return `${name}, and nothing ${findings.length === 0 ? 'is wrong' : 'blocks it'}.`;
  if (status === 'failed') return `${name}, and nothing stands in its way now: verify it again.`;
  return `${name}. Nothing blocks it.`;
}

/** Visitors do not get the site even where the DNS is right. */
function describeSuspension({ status, by, suspendedAt }: NonNullable<ShownDiagnosis['suspension']>): string {
  const [who, lift] =
    by === 'operator'
      ? ['the operator of the server', 'nameplate workspaces resume-sites']
      : ['the workspace', 'nameplate domains resume'];
  return `Suspended by ${who} since ${dateTime(suspendedAt)}: visitors get a page with status ${status}. To lift it: ${lift}.`;
}

/** Names the place where the DNS is edited, and which of its nameservers fail. */
function describeZone({ name, registered, nameservers, provider, dnssec }: DiagnosisZone): string {
  if (!registered) return `${printable(name)} is not registered.`;
  const signed = {
    unsigned: 'not signed',
    secure: 'signed with DNSSEC',
    bogus: 'signed, but its signatures are wrong',
  };
  const about = [`Zone ${printable(name)}${provider ? ` at ${printable(provider.name)}` : ''}`];
  if (dnssec) about.push(signed[dnssec]);
  const servers = nameservers.map(({ name: server, outcome }) =>
    ['answered', 'not_asked'].includes(outcome) ? printable(server) : `${printable(server)} (${OUTCOMES[outcome]})`,
  );
  const named = servers.length === 0 ? '' : ` Nameservers: ${joinList(servers, MOST_NAMED)}.`;
  const panel = provider?.panel === undefined ? '' : ` Its records are edited at ${printable(provider.panel)}`;
  return wrap(`${about.join(', ')}.${named}${panel}`, 0);
}

function checks({ checkedAt, schedule }: ShownDiagnosis, now: number): string {
  const { attempts, nextCheckAt, windowEndsAt } = schedule;
  const looked =
    checkedAt === undefined ? 'No result of a check is kept yet.' : `DNS was asked ${ago(checkedAt, now)}.`;
  const next =
    nextCheckAt === undefined
      ? ''
      : ` The next check is ${isAhead(nextCheckAt, now) ? `in ${shortDuration(nextCheckAt - now)}` : 'due now'}.`;
  const end =
    windowEndsAt !== undefined && isAhead(windowEndsAt, now)
      ? ` ${shortDuration(windowEndsAt - now)} are left to verify it.`
      : '';
  return wrap(`${looked} ${attempts === 1 ? '1 check' : `${attempts} checks`} so far.${next}${end}`, 0);
}

/** People see whole seconds, at least one. */
function isAhead(at: number, now: number): boolean {
  return at - now >= 1000;
}

function ago(at: number, now: number): string {
  return now - at < 2000 ? 'just now' : `at ${dateTime(at)}, ${shortDuration(now - at)} ago`;
}

const NEEDED: Record<DiagnosisRecord['needed'], string> = {
  yes: '',
  no: ' (not needed)',
  alternative:
    ' (needed where the DNS provider hides the CNAME, as Cloudflare does with an orange cloud; if in doubt, publish it)',
};

/** A record that the DNS provider hides has other values, and nothing is wrong with it. */
function isWrong({ record }: DiagnosisRecord, findings: readonly ShownFinding[]): boolean {
  return findings.some((finding) => finding.record === record && finding.severity !== 'info');
}

function describeRecord(
  { type, name, nameInZone, expected, needed, seen, visible }: DiagnosisRecord,
  wrong: boolean,
): string {
  const facts: [title: string, text: string, where?: string][] = [];
  if (nameInZone !== name)
    facts.push(['Enter as', nameInZone === '' ? 'nothing: leave the name empty' : printable(nameInZone)]);
  facts.push(['Expected', printable(expected)]);
  for (const { nameservers, ...found } of grouped(seen))
    facts.push(['Found', paintSeen(type, found, wrong), `at ${joinList(nameservers.map(printable), MOST_NAMED)}`]);
  if (visible)
    facts.push(['Cached', `another answer at ${printable(visible.resolver)} until ${dateTime(visible.until)}`]);
  const width = Math.max(...facts.map(([title]) => title.length));
  return [
    wrap(`${paint('bold', `${type} ${printable(name)}`)}${paint('dim', NEEDED[needed])}`, 0),
    ...facts.map(([title, text, where]) => `  ${paint('dim', title.padEnd(width))}  ${placed(text, where, width + 4)}`),
  ].join('\n');
}

/** On one line if that fits; otherwise the nameservers have lines of their own. */
function placed(text: string, where: string | undefined, indent: number): string {
  if (where === undefined) return wrap(text, indent);
  const line = wrap(`${text} ${where}`, indent);
  return line.includes('\n') ? `${wrap(text, indent)}\n${' '.repeat(indent)}${wrap(where, indent)}` : line;
}

/** Nameservers with the same answer share a line. */
function grouped(seen: RecordSeen[]): (Omit<RecordSeen, 'nameserver'> & { nameservers: string[] })[] {
  const groups = Map.groupBy(seen, ({ outcome, values, cname }) => JSON.stringify([outcome, values, cname]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ ...first, nameservers: group.map(({ nameserver }) => nameserver) }];
  });
}

const OUTCOMES: Record<RecordSeen['outcome'] | 'answered' | 'not_asked', string> = {
  matched: 'as expected',
  other: 'another value',
  changing: 'answers that change',
  nxdomain: 'no such name',
  nodata: 'no such record',
  no_address: 'it has no address',
  timeout: 'no answer in time',
  unreachable: 'it cannot be reached',
  tcp_failed: 'its answer needs TCP, which failed',
  servfail: 'it failed: SERVFAIL',
  refused: 'it refused to answer',
  lame: 'it does not serve the zone',
  malformed: 'its answer is not valid DNS',
  inconsistent: 'other nameservers than another one',
  loop: 'CNAMEs in a loop',
  chain_too_long: 'too many CNAMEs in a row',
  no_nameserver: 'no nameserver was found',
  forbidden_address: 'its address is private, so it was not asked',
  overloaded: 'not asked: too much to do',
  no_resolver: 'no answer from the resolvers of this service',
  too_many_queries: 'not asked: it takes too many queries',
  answered: 'it answered',
  not_asked: 'not asked',
};

function paintSeen(
  type: DiagnosisRecord['type'],
  { outcome, values, cname = [] }: Omit<RecordSeen, 'nameserver'>,
  wrong: boolean,
): string {
  if (outcome === 'matched') return paint('green', OUTCOMES.matched);
  const shown = type === 'TXT' ? describeTexts(values, cname) : describeRoute(values);
  if (outcome === 'other') return wrong ? paint('red', shown) : shown;
  return paint('yellow', shown === '' ? OUTCOMES[outcome] : `${OUTCOMES[outcome]} (${shown})`);
}

/** The texts, and the CNAME at their name. */
function describeTexts(values: string[], cname: string[]): string {
  const alias = cname.length === 0 ? [] : [describeRoute(cname)];
  return joinList([...alias, ...values.map(quoteSeen)], MOST_VALUES);
}

/** `"a.example" → "b.example"`, and the addresses. */
function describeRoute(values: string[]): string {
  const names = values.filter((value) => isIP(value) === 0).map(quoteSeen);
  const addresses = joinList(
    values.filter((value) => isIP(value) !== 0),
    MOST_VALUES,
  );
  const chain = names.length === 0 ? [] : [`CNAME ${names.join(' → ')}`];
  return joinList([...chain, ...(addresses === '' ? [] : [`address ${addresses}`])]);
}

function quoteSeen(value: string): string {
  return quote(value, SEEN_LIMIT);
}

/** A name that is not attached, as the API describes it. */
export type ShownName = NameCheck;
type ConflictRow = NameCheck['conflicts'][number];

const CONFLICT_COLUMNS: Column<ConflictRow>[] = [
  { title: 'Type', text: ({ type }) => type },
  { title: 'Name', text: ({ name }) => name },
  { title: 'In the zone', text: ({ nameInZone }) => nameInZone },
  { title: 'Value', text: ({ values }) => joinList(values.map((value) => (isIP(value) === 0 ? quote(value) : value))) },
];

const KINDS = {
  apex: 'It is a whole registered domain, which cannot have a CNAME: it needs an ALIAS record, and a TXT record.',
  subdomain:
    'It needs a CNAME record. It needs a TXT record too if the DNS provider proxies the name (Cloudflare: orange cloud) or publishes IP addresses in place of the CNAME (flattening).',
};

const IN_THE_WAY =
  'These records are in the way. Keep them until the domain is added; then replace them by the records that it needs:';

export function describeName({
  domain,
  valid,
  problem,
  kind,
  held,
  zone,
  conflicts,
  caa,
  findings,
}: ShownName): string {
  const name = printable(domain);
  if (!valid) {
    const fix = problem?.fix === undefined ? [] : [wrap(`${paint('bold', 'Fix:')} ${printable(problem.fix)}`, 0)];
    return [
      wrap(`${name} ${paint('red', 'cannot be added')}: it ${printable(problem?.message ?? '')}.`, 0),
      ...fix,
    ].join('\n');
  }
  if (held) return `This workspace ${paint('yellow', 'has')} ${name} already.`;
  const lines = [
    wrap(`${name} ${paint('green', 'can be added')}.${kind === undefined ? '' : ` ${KINDS[kind]}`}`, 0),
    ...(zone === undefined ? [] : [describeZone(zone)]),
    ...(caa === undefined || caa.length === 0 ? [] : [wrap(`CAA: ${joinList(caa.map((value) => quote(value)))}`, 0)]),
    ...(conflicts.length === 0 ? [] : ['', wrap(IN_THE_WAY, 0), '', table(CONFLICT_COLUMNS, conflicts)]),
    ...findings.flatMap((finding) => ['', describeFinding(finding)]),
  ];
  return lines.join('\n');
}
