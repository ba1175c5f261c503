import { type Command, CommanderError } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PLAYGROUND_COMMANDS } from '../../../playground/commands.ts';
import { PRESETS } from '../../../words/presets.ts';
import { loadCatalogue, permissionProblems } from './catalogue.ts';
import { createProgram } from './program.ts';

interface Heard {
  code: number;
  stdout: string;
  stderr: string;
}

/** Returns the output of the program for arguments that need no server and no database. */
async function hear(args: string[]): Promise<Heard> {
  const heard: Heard = { code: 0, stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      heard[stream] += String(text);
      return true;
    });
  }
  try {
    await createProgram(PLAYGROUND_COMMANDS).program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    heard.code = error.exitCode;
  }
  vi.restoreAllMocks();
  return heard;
}

function paths(command: Command, path: string[] = []): string[][] {
  return [path, ...command.commands.flatMap((child) => paths(child, [...path, child.name()]))];
}

const all = paths(createProgram(PLAYGROUND_COMMANDS).program);
const leaves = all.filter(
  (path) => !all.some((other) => other.length > path.length && path.every((word, at) => word === other[at])),
);

afterEach(() => vi.restoreAllMocks());

describe('help', () => {
  test.each(all.map((path) => path.join(' ')))(
    '"%s --help" is answered with an example that the program understands',
    async (path) => {
      const { code, stdout, stderr } = await hear([...path.split(' ').filter(Boolean), '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const examples = [...stdout.matchAll(/^ {2}\$ (?:[A-Z_]+=\S+ )*nameplate (.+)$/gm)].map(
        ([, example = '']) => example,
      );
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        const words = example.split(' ').filter((word) => /^[a-z]+(-[a-z]+)*$/.test(word));
        expect(leaves.some((leaf) => leaf.every((word, at) => word === words[at]))).toBe(true);
      }
    },
  );

  test('all commands exist', () => {
    const design = [
      'dev',
      'demo',
      'serve',
      'reload',
      'usage',
      'migrate',
      'audit',
      'backup',
      'copy',
      'doctor',
      'init',
      ...['create', 'list', 'disable', 'enable', 'suspend-sites', 'resume-sites', 'limits', 'brand', 'delete'].map(
        (verb) => `workspaces ${verb}`,
      ),
      ...['create', 'list', 'disable', 'enable', 'rotate', 'revoke'].map((verb) => `keys ${verb}`),
      ...['add', 'list', 'remove'].map((verb) => `targets ${verb}`),
      ...['create', 'rotate'].map((verb) => `tokens ${verb}`),
      ...['template', 'rotate-key'].map((verb) => `domain-connect ${verb}`),
      ...['login', 'sign-out'].map((verb) => `dashboard ${verb}`),
      ...['list', 'show', 'renew', 'import', 'revoke', 'resume'].map((verb) => `certificates ${verb}`),
      'certificates account rotate-key',
      ...['key', 'rotate', 'forget'].map((verb) => `sealing ${verb}`),
      ...['projects', 'apps', 'environments', 'deployments'].flatMap((of) => [`${of} create`, `${of} list`]),
      ...['projects', 'apps', 'environments'].map((of) => `${of} delete`),
      ...['cloudflare', 'vercel', 'caddy', 'csv'].map((source) => `move from ${source}`),
      ...['status', 'check', 'watch'].map((verb) => `move ${verb}`),
      'origins settings',
      'origins rotate-secret',
      ...['create', 'get', 'list', 'verify', 'delete', 'wait', 'watch'].map((verb) => `domains ${verb}`),
      ...['diagnose', 'check', 'events', 'certificate', 'records', 'import', 'export'].map((verb) => `domains ${verb}`),
      ...[
        'update',
        'restore',
        'move',
        'suspend',
        'resume',
        'redirect',
        'setup-link',
        'setup-links',
        'revoke-setup-link',
      ].map((verb) => `domains ${verb}`),
      ...['create', 'get', 'list', 'update', 'rotate-secret', 'test', 'delete'].map((verb) => `webhooks ${verb}`),
      ...['listen', 'deliveries', 'delivery', 'redeliver'].map((verb) => `webhooks ${verb}`),
      'mcp',
      ...['set', 'remove', 'publish', 'fail', 'list', 'log'].map((verb) => `dns ${verb}`),
    ];
    expect(leaves.map((leaf) => leaf.join(' ')).toSorted()).toEqual(design.toSorted());
  });

  test('of the program names the needs of each command, and the exit codes', async () => {
    const { stdout } = await hear(['--help']);
    const [, needs = ''] = /What commands need:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
    const names = leaves.map(([name = '', verb = '']) => (name === 'sealing' ? `${name} ${verb}` : name));
    for (const name of names) expect(needs).toMatch(new RegExp(`\\b${name.replace(' ', '\\s+')}\\b`));
    expect(stdout).toContain('Exit codes: 0 done, 1 failed');
  });

  test('a command with --key says that the process list shows it, and how to avoid that', () => {
    const { program } = createProgram(PLAYGROUND_COMMANDS);
    const create = program.commands.find((command) => command.name() === 'projects')?.commands[0];
    const about = create?.options.find(({ long }) => long === '--key')?.description;
    expect(about).toMatch(
      /visible in the process list; one from standard input, --key-file or NAMEPLATE_ROOT_KEY is not/,
    );
  });

  test.each(leaves.map((path) => path.join(' ')))(
    '"%s --help" says whether it opens the database or calls the API',
    async (path) => {
      const { stdout } = await hear([...path.split(' '), '--help']);
      expect(stdout.includes('opens the database itself')).toBe(stdout.includes('--database <url>'));
      expect(stdout.includes('calls the API of a running server')).toBe(stdout.includes('--key <key>'));
    },
  );

  test('every command takes --data, except serve, reload and sealing key', () => {
    const { program } = createProgram(PLAYGROUND_COMMANDS);
    for (const path of leaves) {
      let command = program;
      for (const word of path) command = command.commands.find((child) => child.name() === word) ?? command;
      const takesData = command.options.some(({ long }) => long === '--data');
      expect({ path, takesData }).toEqual({
        path,
        takesData: !['serve', 'reload', 'sealing key'].includes(path.join(' ')),
      });
    }
  });
});

test('the operations that rate limits may name include those without a key', async () => {
  expect((await loadCatalogue()).operations).toContain('setup.openSession');
});

describe('permissions', () => {
  test.each([
    ['enviroment.*.read_domain', 'Did you mean environment.*.read_domain?'],
    ['environment.env_1.raed_domain', 'Did you mean environment.env_1.read_domain?'],
    ['nothing.*.like_it_at_all', 'No operation requires'],
    ['project.proj_1.create_project', 'it is granted on all, as project.*.create_project'],
    ['environment.*', 'is not a permission'],
  ])('%s is refused: %s', async (permission, problem) => {
    const { permissions } = await loadCatalogue();
    expect(permissionProblems([permission], permissions)).toEqual([expect.stringContaining(problem)]);
  });

  test('those that operations require are not refused, for all resources or for one', async () => {
    const { permissions } = await loadCatalogue();
    const all = permissions.map(({ resource, action }) => `${resource}.*.${action}`);
    expect(all).toContain('environment.*.read_domain');
    const ofOne = permissions.filter(({ onOne }) => onOne.length > 0);
    expect(ofOne.length).toBeGreaterThan(0);
    const granted = ofOne.map(({ resource, action }) => `${resource}.some_1.${action}`);
    expect(permissionProblems([...all, ...granted, 'project/shop/app/web#read_app'], permissions)).toEqual([]);
  });
});

test('init makes a key with permissions that operations require, each once', async () => {
  for (const preset of Object.values(PRESETS)) {
    expect(permissionProblems(preset, (await loadCatalogue()).permissions)).toEqual([]);
    expect(new Set(preset).size).toBe(preset.length);
  }
});

describe('mistakes', () => {
  test.each([
    [['domain', 'list'], "unknown command 'domain'", 'domains'],
    [['domains', 'lst'], "unknown command 'lst'", 'list'],
    [['domains', 'list', '--jsno'], "unknown option '--jsno'", '--json'],
  ])('%j is bad usage, with the most similar word', async (args, problem, nearest) => {
    const { code, stdout, stderr } = await hear(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(problem);
    expect(stderr).toContain(`Did you mean ${nearest}?`);
  });

  test.each([['help'], ['domains', 'create'], ['domains', 'list', '--jsno']])(
    '%j leads to the help of the command',
    async (...args) => {
      expect((await hear(args)).stderr).toMatch(/\nAdd --help to see what it takes\.\n$/);
    },
  );

  test.each([
    ['dev', '--port', '65536'],
    ['dev', '--check-interval', '0'],
    ['domains', 'wait', 'shop.example.com', '--timeout', 'soon'],
    ['workspaces', 'limits', 'ws_1', '--rate', 'often'],
    ['workspaces', 'limits', 'ws_1', '--domains', '-1'],
    ['workspaces', 'list', '--database', 'mysql://db'],
    ['backup'],
    ['copy', '--to', 'mysql://db'],
    ['workspaces', 'create', ''],
    ['workspaces', 'create', ' \t'],
    ['keys', 'create'],
    ['keys', 'create', '--workspace', 'ws_1', '--permission', ''],
    ['keys', 'create', '--workspace', 'ws_1', '--name', ''],
    ['keys', 'create', '--workspace', 'ws_1', '--expires', '99999999d'],
    ['keys', 'create', '--workspace', 'ws_1', '--expires', '36501d'],
    ['keys', 'create', '--workspace', 'ws_1', '--expires', '2300-01-01T00:00:00Z'],
    ['tokens', 'create'],
    ['tokens', 'create', '--workspace', 'ws_1', '--expires', '121s'],
    ['webhooks', 'create'],
    ['webhooks', 'create', 'https://hooks.example.com', '--type', 'domain.foo'],
    ['webhooks', 'update', 'wh_1', '--enable', '--disable'],
    ['webhooks', 'rotate-secret', 'wh_1', '--overlap', 'soon'],
    ['webhooks', 'deliveries', 'wh_1', '--limit', '0'],
    ['webhooks', 'listen', '--port', '65536'],
    ['dns', 'fail', 'shop.example.com', 'gently'],
    ['domains', 'records', 'shop.example.com', '--format', 'yaml'],
    ['domains', 'get'],
    ['domains', 'get', 'one', 'two'],
  ])('%s %s %s %s %s %s is bad usage', async (...args) => {
    expect(await hear(args.filter((arg) => arg !== undefined))).toMatchObject({ code: 1, stdout: '' });
  });

  test.each([
    ['workspaces', 'list', '--database', 'postgres://u:hunter2@h'],
    ['copy', '--to', 'postgres://u:hunter2@h'],
    ['workspaces', 'list', '--database', "it's 'hunter2' is invalid. "],
    ['domains', 'list', '--kye=np_hunter2'],
    ['domains', 'list', '--key', 'np_hunter2', 'one too many'],
  ])('a secret in the arguments "%s %s %s %s" is not printed', async (...args) => {
    const { code, stderr } = await hear(args.filter((arg) => arg !== undefined));
    expect(code).toBe(1);
    expect(stderr).not.toContain('hunter2');
  });
});
