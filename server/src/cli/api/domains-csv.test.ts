import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/command.ts';
import { exampleDomain } from '../../api/domains/present-domain.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import { type ImportRow, readRows, renderDomains, writeReport } from './domains-csv.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());
const path = `${directory.path}/names.csv`;

async function rowsOf(file: string): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  for await (const row of readRows(file)) rows.push(row);
  return rows;
}

async function read(text: string): Promise<Omit<ImportRow, 'share'>[]> {
  writeFileSync(path, text);
  const rows = await rowsOf(path);
  expect(rows.every(({ share }, at) => share > (rows[at - 1]?.share ?? 0) && share <= 1)).toBe(true);
  return rows.map(({ share, ...row }) => row);
}
const plain = (line: number, domain: string) => ({ line, domain, path: {}, problem: null });

describe('a file to import', () => {
  it('is read row by row, with the line of each', async () => {
    expect(await read('domain\na.example\nb.example\n')).toEqual([plain(2, 'a.example'), plain(3, 'b.example')]);
    expect(await read('domain\r\na.example\r\n\r\nb.example')).toEqual([plain(2, 'a.example'), plain(4, 'b.example')]);
    expect(await read('domain\n')).toEqual([]);
  });

  it('may have further columns, in any order and case; those that it does not have are absent', async () => {
    const text = 'Note,Environment,DOMAIN,project\n"one, ""two""",staging,a.example,shop\n,,b.example,\n';
    expect(await read(text)).toEqual([
      { line: 2, domain: 'a.example', path: { project: 'shop', environment: 'staging' }, problem: null },
      { line: 3, domain: 'b.example', path: { project: '', environment: '' }, problem: null },
    ]);
  });

  it.each(['{', '{"__proto__":"a"}', '[]', '"a"', 'null', '1', '{"a":1}', '{"a":null}', '{"__proto__":"a"}'])(
    'with the metadata %s has a row that is refused',
    async (cell) => {
      const problem = 'The metadata must be a JSON object of texts.';
      expect(await read(`domain;metadata\na.example;${cell}\nb.example;{}\n`)).toMatchObject([
        { domain: 'a.example', problem },
        { domain: 'b.example', problem: null },
      ]);
    },
  );

  it('may come from a spreadsheet: with a byte order mark, semicolons or tabs, quotation marks, white space and empty rows', async () => {
    expect(await read('\ufeffdomain;note\n"a.example" ;x\n;\n')).toEqual([plain(2, 'a.example')]);
    expect(await read(' domain \tnote\n a.example\t\n')).toEqual([plain(2, 'a.example')]);
    expect(await read('domain\n"a\nb"\nc.example\n')).toMatchObject([{ domain: 'a\nb' }, { line: 4 }]);
  });

  it('has the delimiter of its first line: the other delimiters are plain characters', async () => {
    const rows = (delimiter: string, note: string) =>
      [['"a, long;\ttitle"', 'domain', 'note'], ['x', 'a.example', note], []]
        .map((row) => row.join(delimiter))
        .join('\n');
    for (const [delimiter, note] of [
      [',', 'one; two\tthree'],
      [';', 'one, two'],
      ['\t', 'one, two; three'],
    ] as const) {
      expect(await read(rows(delimiter, note))).toEqual([plain(2, 'a.example')]);
    }
    expect(await read('domain\na.example;b.example\n')).toEqual([plain(2, 'a.example;b.example')]);
  });

  it('may have rows with too many or too few columns: each is known, with its line', async () => {
    const text = 'note,domain,project\none, two,a.example,shop\nx,b.example\nx,c.example,shop\n';
    expect(await read(text)).toMatchObject([
      { line: 2, problem: 'The row has 4 columns, and the first line 3.' },
      { line: 3, domain: 'b.example', problem: 'The row has 2 columns, and the first line 3.' },
      { line: 4, domain: 'c.example', problem: null },
    ]);
  });

  it('may have rows with quotation marks in the wrong place: only they are refused', async () => {
    const text = 'domain,note\nshop"1.example.com,x\n5" pipe.example,"x"\nc.example,x\n';
    expect(await read(text)).toEqual([
      plain(2, 'shop"1.example.com'),
      plain(3, '5" pipe.example'),
      plain(4, 'c.example'),
    ]);
    const broken = 'environment,domain\ntest,"a"b.example\ntest,b.example\ntest,"c"\0\n"test"x,"d\n';
    const problem = 'A cell goes on after the quotation mark at its end.';
    expect(await read(broken)).toEqual([
      { line: 2, domain: '', path: { environment: '' }, problem },
      { line: 3, domain: 'b.example', path: { environment: 'test' }, problem: null },
      { line: 4, domain: '', path: { environment: '' }, problem },
      { line: 5, domain: '', path: { environment: '' }, problem },
    ]);
  });

  it('may have rows with a quotation mark that never ends: their first line is refused, and the next lines are read', async () => {
    const problem = 'A quotation mark has no end.';
    expect(await read('domain\n"a.example\nb.example\n')).toEqual([
      { ...plain(2, ''), problem },
      plain(3, 'b.example'),
    ]);
    expect(await read('domain\na.example\n"b.example')).toEqual([plain(2, 'a.example'), { ...plain(3, ''), problem }]);
    expect(await read('domain,note\na.example,"x\n"b.example",y\n\nc.example,""\n')).toEqual([
      { ...plain(2, ''), problem },
      plain(3, 'b.example'),
      plain(5, 'c.example'),
    ]);
  });

  it('loses no more than a line to a quotation mark that never ends, however much follows', async () => {
    writeFileSync(path, `domain\na.example\n"b.example\n${'c.example\n'.repeat(20_000)}`);
    const rows = await rowsOf(path);
    expect(rows.filter(({ problem }) => problem !== null).map(({ line }) => line)).toEqual([3]);
    expect(rows.map(({ line }) => line)).toEqual(Array.from({ length: 20_002 }, (_, i) => i + 2));
  });

  it('may have cells over several lines, up to 64 KiB, wherever they are', async () => {
    const cell = `"${'0123456789 ""x"",\n'.repeat(3000)}"`;
    for (const lines of [0, 1, 2999, 5000]) {
      const before = 'b.example,\n'.repeat(lines);
      const rows = await read(`domain,note\n${before}a.example,${cell}\nc.example,x\n`);
      expect(rows.slice(lines)).toEqual([plain(lines + 3002, 'a.example'), plain(lines + 3003, 'c.example')]);
    }
  });

  it('may have rows that are too long: only they are refused', async () => {
    const long = 'x'.repeat(70_000);
    for (const cell of [long, `"${long}"`, long.repeat(10), `${long}"a\r${long}`]) {
      const rows = await read(`domain,note\r\na.example,x\r\n${cell},x\r\nb.example,x`);
      const refused = cell.includes('\r') ? [3, 4] : [3];
      expect(rows).toEqual([
        plain(2, 'a.example'),
        ...refused.map((line) => ({ ...plain(line, ''), problem: 'The row is longer than 64 KiB.' })),
        plain(3 + refused.length, 'b.example'),
      ]);
    }
  });

  it.each([
    ['quotation marks alone', '"\n'.repeat(400_000), 400_000],
    ['quotation marks that open and never close', 'x,"\ny\n"z\n'.repeat(40_000), 120_000],
    ['one that opens before many cells that would close it', `"\n${'","\n'.repeat(60_000)}`, 60_001],
    ['a line of many megabytes', 'x,'.repeat(8 * 1024 * 1024), 1],
  ])('costs no more than its size with %s', async (_, text, lines) => {
    writeFileSync(path, `domain,note\n${text}`);
    expect((await rowsOf(path)).at(-1)?.line).toBe(lines + 1);
  });

  it('may end its lines as any system does, and have a byte order mark', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      for (const mark of ['', '\ufeff']) {
        const text = [`${mark}"Domain",note`, '"a.example",x', `b.example,"1${end}2"`, '', 'c.example,x', ''].join(end);
        const rows = [plain(2, 'a.example'), plain(4, 'b.example'), plain(6, 'c.example')];
        expect(await read(text)).toEqual(rows);
        if (mark === '') continue;
        writeFileSync(path, Buffer.from(text, 'utf16le'));
        expect((await rowsOf(path)).map(({ share, ...row }) => row)).toEqual(rows);
      }
    }
  });

  it('may have anything in its cells: the server refuses invalid names', async () => {
    const odd = ['a\0b.example', '\0', '\ufffd', 'a\u0085b', '=1+1', '\u{1f4a9}.example'];
    expect(await read(`domain\n${odd.join('\n')}\n`)).toEqual(odd.map((name, i) => plain(i + 2, name)));
  });

  it.each([
    ['nothing', '', /must name the columns: "domain"/],
    ['no column "domain"', 'name\na.example\n', /must name the columns: "domain"/],
    ['a first line that cannot be read', '"domain\na.example\n', /must name the columns: "domain"/],
  ])('with %s is refused, with what is wrong', async (_, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('is read only if it is a regular file of at most 64 MiB: others are refused at once, with the reason', async () => {
    const fifo = `${directory.path}/fifo.csv`;
    execFileSync('mkfifo', [fifo]);
    for (const other of [fifo, '/dev/zero', directory.path])
      await expect(rowsOf(other)).rejects.toThrow(`Cannot read ${other}: it is not a regular file.`);
    writeFileSync(path, 'domain\n');
    truncateSync(path, 64 * 1024 * 1024 + 1);
    await expect(rowsOf(path)).rejects.toThrow(/it is larger than 64 MiB\. Split it/);
  });

  it('that cannot be read is an error that names it', async () => {
    await expect(rowsOf(`${directory.path}/none.csv`)).rejects.toThrow(/Cannot read .*none\.csv: ENOENT/);
  });
});

describe('a report', () => {
  it('has a row for each refusal, in which nothing is a formula, and nothing hides or reorders text', async () => {
    const report = `${directory.path}/report.csv`;
    await writeReport(report, [
      { line: 2, domain: '=1+1', status: 400, reason: 'must not be "that", nor this.' },
      { line: 7, domain: '', status: '', reason: 'The row has no name.' },
      { line: 8, domain: '\u202emoc.example\n\u001b[2J', status: 400, reason: 'no \u2066name' },
      { line: 9, domain: '\t=cmd', status: 400, reason: '@x' },
    ]);
    expect(readFileSync(report, 'utf8').split('\n')).toEqual([
      'line,domain,status,reason',
      '2,\'=1+1,400,"must not be ""that"", nor this."',
      '7,,,The row has no name.',
      '8,\\u{202e}moc.example\\u{a}\\u{1b}[2J,400,no \\u{2066}name',
      "9,\\u{9}=cmd,400,'@x",
      '',
    ]);
    expect(existsSync(`${report}.part`)).toBe(false);
    await writeReport(report, []);
    expect(readFileSync(report, 'utf8')).toBe('line,domain,status,reason\n');
  });
});

describe('an export', () => {
  it('has the data that a platform keeps with a domain, as an import reads it', async () => {
    const own = { externalId: 'a, "b"; é', metadata: { plan: 'pro, "x"', 'a.b': ';' } };
    const item = { domain: presentDomain(exampleDomain), certificate: { state: 'none' }, ...own } as const;
    expect(await read(renderDomains([item], { header: true }))).toMatchObject([{ own, problem: null }]);
  });

  it('is what an import reads', async () => {
    const item = { domain: presentDomain(exampleDomain), certificate: { state: 'none' } } as const;
    const text = renderDomains([item], { header: true }) + renderDomains([item, item], { header: false });
    const { projectId: project, appId: app, environmentId: environment } = exampleDomain;
    const row = { domain: 'api.example.com', path: { project, app, environment }, problem: null };
    expect(await read(text)).toEqual([2, 3, 4].map((line) => ({ line, ...row })));
    expect(renderDomains([], { header: false })).toBe('');
    expect(text.split('\n').slice(0, 2)).toEqual([
      'domain,project,app,environment,status,certificate,routingType,routingValue,ownershipName,ownershipValue,id,createdAt,externalId,metadata',
      `api.example.com,${project},${app},${environment},verifying,none,CNAME,${exampleDomain.target},_service.api.example.com,service-domain-verify=${exampleDomain.token},${exampleDomain.id},2026-11-20T12:00:00.000Z,,`,
    ]);
  });
});
