// What stood in the way of production at the edge, tried on a machine of its own with real servers: Knot, Unbound, pebble, PostgreSQL, HAProxy, Caddy. Prints a line of
// JSON for each trial. Another release is tried by its path, which has to be built:
//   unshare --net --mount --pid --fork --kill-child --mount-proc node test/long/edge/trials.ts [path of the clone]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startInternet } from '../../interop/internet.ts';
import { CLONE, type Started, startCommand } from '../../support/command.ts';
import { findPrograms } from '../../support/debian.ts';
import { startPebble } from '../../support/pebble.ts';
import { startPostgres } from '../../support/postgres.ts';
import { knownSettings, makeTenant, type Tenant } from './trial-tenants.ts';
import { trialVisitors } from './trial-visitors.ts';

const [, , clone = CLONE] = process.argv;
const PROGRAM = join(clone, 'bin/nameplate');
const [PLATFORM, CUSTOMER, API] = ['your-platform.com', 'customer.com', 'api.your-platform.com'];
const BALANCER = '10.99.0.2';
/** Of this machine's network, where nobody is. */
const DEAD = '10.99.0.9';
const CLIENT = '127.0.0.77';

for (const words of ['link set lo up', `addr add ${BALANCER}/32 dev lo`, `route add ${DEAD} dev lo`])
  execFileSync('ip', words.split(' '));
const directory = await mkdtemp(join(tmpdir(), 'nameplate-trials-'));
const internet = await startInternet({ port: 53 });
const dns = { address: internet.resolver.address, port: internet.port };
await writeFile(join(directory, 'resolv.conf'), `nameserver ${dns.address}\n`);
execFileSync('mount', ['--bind', join(directory, 'resolv.conf'), '/etc/resolv.conf']);
const platform = await internet.registerName(PLATFORM);
await platform.publish('*.cname A 127.0.0.1\napi A 127.0.0.1');
const customer = await internet.registerName(CUSTOMER);
const pebble = await startPebble({ dns, httpPort: 80 });
await writeFile(join(directory, 'ca.pem'), pebble.trustRoots);
const postgres = await startPostgres();
const origin = createServer((request, response) => {
  if (request.url !== '/download') return void response.end(JSON.stringify(request.headers));
  let pieces = 0;
  const sending = setInterval(() => {
    response.write('x'.repeat(1000));
    pieces += 1;
    if (pieces < 100) return;
    clearInterval(sending);
    response.end();
  }, 100);
  response.on('close', () => clearInterval(sending));
}).listen(8080, '127.0.0.1');
await once(origin, 'listening');

const env: Record<string, string> = {
  NAMEPLATE_CNAME_ZONE: `cname.${PLATFORM}`,
  NAMEPLATE_DNS_RESOLVERS: dns.address,
  NAMEPLATE_DATABASE_URL: await postgres.createDatabase(),
  NAMEPLATE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
  NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
  NAMEPLATE_EDGE_FRONT_LISTEN: '127.0.0.1:7072',
  NAMEPLATE_EDGE_TRUSTED_PROXIES: '127.0.0.1/32',
  NAMEPLATE_ACME_ALLOWED_NETWORKS: '127.0.0.0/8,10.99.0.0/24',
  NAMEPLATE_ACME_DIRECTORY: pebble.directoryUrl,
  NAMEPLATE_ACME_CA_FILE: join(directory, 'ca.pem'),
};
const settings = await knownSettings(clone);
const { get, untilServed, visit } = trialVisitors(pebble.issuingRoots);
for (const [name, value] of Object.entries({
  NAMEPLATE_CONTROL: join(directory, 'control.sock'),
  NAMEPLATE_EDGE_CACHE: join(directory, 'edge-cache'),
  NAMEPLATE_EDGE_HEALTH_LISTEN: '127.0.0.1:7073',
  NAMEPLATE_EDGE_PROXY_PROTOCOL: BALANCER,
  NAMEPLATE_API_HOSTNAME: API,
}))
  if (settings.has(name)) env[name] = value;

/** Ids of the processes that serve, drain or wait. */
const serving = new Set<number>();
const one = await makeTenant('one', { program: PROGRAM, env, settings });
const two = await makeTenant('two', { program: PROGRAM, env, settings });
let server = await serve();
for (const { deploy } of [one, two]) await deploy();
const records = await publish(one, `www.${CUSTOMER}`);
await verified(one, `www.${CUSTOMER}`);
await untilServed(`www.${CUSTOMER}`);

await trial('a restart under load', async () => {
  const visits = visit({ hostname: `www.${CUSTOMER}` });
  await delay(1000);
  await replace();
  await delay(3000);
  return visits.stop();
});
await trial('a download of 10 s that has begun a second before', async () => {
  const download = get({ hostname: `www.${CUSTOMER}`, path: '/download' }, 60_000);
  const begunAt = performance.now();
  await delay(1000);
  await replace();
  const { body, error } = await download;
  return { bytes: body.length, error, seconds: seconds(begunAt) };
});
await trial('HAProxy in front: the client of the origin', async () => {
  const option = settings.has('NAMEPLATE_EDGE_PROXY_PROTOCOL') ? 'send-proxy-v2' : '';
  const balancer = await startBalancer(option);
  const { body, error } = await get({ hostname: `www.${CUSTOMER}`, port: 8443, localAddress: CLIENT });
  balancer.close();
  return { client: CLIENT, seen: error ?? JSON.parse(body)['x-real-ip'] };
});
await trial("Caddy in front, with Nameplate's certificates: a restart under load", async () => {
  const caddy = await startCaddy();
  const visits = visit({ hostname: `www.${CUSTOMER}`, port: 8444 });
  await delay(1000);
  await replace();
  await delay(3000);
  const outcome = await visits.stop();
  caddy.close();
  return outcome;
});
await trial("the API's own name", async () => {
  if (!settings.has('NAMEPLATE_API_HOSTNAME')) return 'no such setting';
  await untilServed(API, '/v2/liveness');
  const refused = await get({ hostname: API, path: '/metrics' });
  return { liveness: (await get({ hostname: API, path: '/v2/liveness' })).status, metrics: refused.status };
});
await trial('a redirect from the apex to www', async () => {
  await publish(one, CUSTOMER, records);
  await verified(one, CUSTOMER);
  const { status, error } = await one.call('domains.setRedirect', { domain: CUSTOMER, to: `www.${CUSTOMER}` });
  if (status !== 200) return { setRedirect: error ?? status };
  await untilServed(CUSTOMER);
  const { status: redirected, headers } = await get({ hostname: CUSTOMER, path: '/a?b=c' });
  return { redirected, location: headers.location };
});
await trial('one dead address of two, for eight names', async () => {
  const zone = await internet.registerName('example.com');
  const names = Array.from({ length: 8 }, (_, i) => `dead${i}.example.com`);
  let published = '';
  for (const domain of names) {
    const { host, value } = await create(one, domain);
    published += `${domain}. A 127.0.0.1\n${domain}. A ${DEAD}\n${host}. TXT "${value}"\n`;
  }
  await zone.publish(published);
  for (const domain of names) await verified(one, domain);
  await delay(60_000);
  const certificates = await Promise.all(names.map((domain) => one.call('domains.getCertificate', { domain })));
  const states = certificates.map(({ data }) => data?.problem?.reason ?? data?.state);
  return Object.fromEntries(
    [...new Set(states)].map((state) => [state, states.filter((each) => each === state).length]),
  );
});
await trial('a takeover', async () => {
  const name = `www.${CUSTOMER}`;
  const visits = visit({ hostname: name });
  await publish(two, name);
  await verified(two, name);
  const verifiedAt = performance.now();
  while ((await two.call('domains.getCertificate', { domain: name })).data?.state !== 'issued') await delay(100);
  const certificateSeconds = seconds(verifiedAt);
  await delay(3000);
  return { ...(await visits.stop()), certificateSeconds };
});
await trial('PostgreSQL away: readiness of a node with all roles', async () => {
  await postgres.stop('immediate');
  await delay(3000);
  const [api, edge] = await Promise.all([ready('127.0.0.1:7070'), ready('127.0.0.1:7073')]);
  return { api, edge, site: (await get({ hostname: `www.${CUSTOMER}` })).status };
});
await trial('a start without PostgreSQL', async () => {
  for (const pid of serving) process.kill(pid, 'SIGKILL');
  await server.ended;
  const again = start();
  const how = await Promise.race([
    again.says(/"msg":"ready"/).then(
      () => 'it starts',
      () => 'it ends',
    ),
    delay(30_000, 'nothing in 30 s', { ref: false }),
  ]);
  const site = await get({ hostname: `www.${CUSTOMER}` });
  await postgres.start();
  server = how === 'it starts' ? again : server;
  return { how, exitCode: how === 'it ends' ? (await again.ended).code : null, site: site.error ?? site.status };
});
await server.stop();
origin.close();
process.exit(0);

async function trial(name: string, run: () => Promise<unknown>): Promise<void> {
  const outcome = await run().catch((error: unknown) => `failed: ${error}`);
  console.log(JSON.stringify({ trial: name, outcome }));
}

function start(): Started {
  const started = startCommand(PROGRAM, ['serve'], { env });
  started.child.stdout?.on('data', (text: string) => {
    for (const [, pid] of text.matchAll(/"pid":(\d+).*"msg":"ready"/g)) serving.add(Number(pid));
    for (const [, pid] of text.matchAll(/"pid":(\d+).*"msg":"(?:drained|stopped)"/g)) serving.delete(Number(pid));
  });
  return started;
}

async function serve(): Promise<Started> {
  const started = start();
  await started.says(/"msg":"ready"/);
  return started;
}

/** As an operator would: by a reload, where there is one. */
async function replace(): Promise<void> {
  if (settings.has('NAMEPLATE_CONTROL')) {
    const { code, stderr } = await startCommand(PROGRAM, ['reload'], { env }).ended;
    if (code !== 0) throw new Error(stderr);
    return;
  }
  await server.stop();
  server = await serve();
}

async function create({ call, place }: Tenant, domain: string) {
  const { data, error } = await call('domains.createDomain', { ...place, domain });
  if (data === undefined) throw new Error(`${domain}: ${error}`);
  const { dnsRecords } = data;
  const txt = dnsRecords.find(({ type }) => type === 'TXT');
  const target = dnsRecords.find(({ type }) => type !== 'TXT');
  return { host: txt?.name ?? '', value: txt?.value ?? '', target: target?.value ?? '' };
}

/** Attaches a name of the customer's zone, and publishes its records: in place of what is there, or beside `others`. */
async function publish(tenant: Tenant, domain: string, others = ''): Promise<string> {
  const { host, value, target } = await create(tenant, domain);
  const route = domain === CUSTOMER ? `${domain}. A 127.0.0.1` : `${domain}. CNAME ${target}.`;
  const own = `${route}\n${host}. TXT "${value}"`;
  await customer.publish(others === '' ? own : `${others}\n${own}`);
  return own;
}

async function verified({ call }: Tenant, domain: string): Promise<void> {
  for (const end = Date.now() + 240_000; Date.now() < end; await delay(500))
    if ((await call('domains.getDomain', { domain })).data?.status === 'verified') return;
  throw new Error(`${domain} is not verified`);
}

async function ready(address: string): Promise<string> {
  return fetch(`http://${address}/readyz`).then(
    async (response) => `${response.status} ${(await response.text()).trim().slice(0, 60)}`,
    () => 'refused',
  );
}

async function startBalancer(option: string) {
  const text = `global\n  log stdout format raw local0\ndefaults\n  mode tcp\n  timeout connect 5s\n  timeout client 1m\n  timeout server 1m\nlisten edge\n  bind 127.0.0.1:8443\n  source ${BALANCER}\n  server edge ${BALANCER}:443 ${option}\n`;
  return startFront('haproxy', text, (path) => ['-db', '-f', path]);
}

/** With the file of docs/edge.md, on ports of its own. */
async function startCaddy() {
  const text = `{
  admin off
  skip_install_trust
  http_port 8081
  https_port 8444
  auto_https disable_redirects
}
https:// {
  tls {
    get_certificate http http://127.0.0.1:7072/edge/certificate
  }
  reverse_proxy 127.0.0.1:80
}
`;
  return startFront('caddy', text, (path) => ['run', '--adapter', 'caddyfile', '--config', path]);
}

async function startFront(name: 'haproxy' | 'caddy', file: string, words: (path: string) => string[]) {
  const programs = await findPrograms(name, [name]);
  const path = join(directory, `${name}.cfg`);
  await writeFile(path, file);
  const env = { ...process.env, ...programs.env, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const service = spawn(programs.path(name), words(path), { env, stdio: 'ignore' });
  await delay(1000);
  return { close: () => void service.kill() };
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 100) / 10;
}
