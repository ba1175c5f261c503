import { join } from 'node:path';
import { startCommand } from '../../support/command.ts';

/** What is tried: a release, and its settings. */
export interface Machine {
  program: string;
  env: Record<string, string>;
  /** Names of all settings that it has. */
  settings: ReadonlySet<string>;
}

/** What the trials read of the API's responses. */
interface Answer {
  data?: {
    status: string;
    dnsRecords: { type: string; name: string; value: string }[];
    state: string;
    problem: { reason: string } | null;
  };
  error?: { type: string };
}

/** Names of all settings. */
export async function knownSettings(clone: string): Promise<Set<string>> {
  const { serverVariables } = await import(join(clone, 'src/config/variables.ts'));
  return new Set(Object.values<{ name: string }>(serverVariables).map(({ name }) => name));
}

/** A workspace of its own, with the environment `shop/web/production`. */
export async function makeTenant(name: string, { program, env, settings }: Machine) {
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await startCommand(program, words, { env }).ended;
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout;
  };
  const [workspace = ''] = /ws_\w+/.exec(await run('workspaces', 'create', name)) ?? [];
  const actions = [
    'create_environment',
    'create_deployment',
    'create_domain',
    'read_domain',
    'verify_domain',
    'delete_domain',
  ];
  const wanted = [
    'project.*.create_project',
    'app.*.create_app',
    ...actions.map((action) => `environment.*.${action}`),
  ];
  if (settings.has('NAMEPLATE_CONTROL')) wanted.push('environment.*.update_domain');
  const permissions = wanted.flatMap((permission) => ['--permission', permission]);
  const [key = ''] =
    /np_\w+/.exec(await run('keys', 'create', '--workspace', workspace, '--name', name, ...permissions)) ?? [];
  const place = { project: 'shop', app: 'web', environment: 'production' };
  const call = async (operation: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:7070/v2/${operation}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const { data, error } = (await response.json()) as Answer;
    return { status: response.status, data, error: error?.type };
  };
  return {
    place,
    call,
    /** While a server runs. */
    async deploy() {
      const own = { ...env, NAMEPLATE_URL: 'http://127.0.0.1:7070', NAMEPLATE_ROOT_KEY: key };
      for (const words of [
        'projects create shop',
        'apps create web --project shop',
        'environments create production --project shop --app web',
        'deployments create http://127.0.0.1:8080 --project shop --app web --environment production',
      ])
        await startCommand(program, words.split(' '), { env: own }).ended;
    },
  };
}

export type Tenant = Awaited<ReturnType<typeof makeTenant>>;
