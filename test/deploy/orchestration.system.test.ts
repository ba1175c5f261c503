import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLONE, temporaryDirectory } from '../support/command.ts';
import { findPrograms, type Programs, START_LIMIT_MS, TOOLS } from '../support/debian.ts';
import { kubernetesTools } from '../support/kubernetes.ts';
import { CONFINED, read } from './files.ts';

// Docker's Compose reads compose.yaml; Helm renders the chart, and kubectl reads it as Kubernetes does.

const CHART = join(CLONE, 'deploy/chart/nameplate');
const { version } = JSON.parse(read('package.json'));
const directory = temporaryDirectory();
let compose: Programs;
let tools: ReturnType<typeof kubernetesTools>;

beforeAll(async () => {
  compose = await findPrograms('compose', ['docker-compose', 'python3-yaml']);
  tools = kubernetesTools();
}, START_LIMIT_MS);
afterAll(() => directory.remove());

const python = (args: string[], env: NodeJS.ProcessEnv, input?: string) =>
  spawnSync('/usr/bin/python3', args, {
    cwd: directory.path,
    env: { ...env, PYTHONPATH: join(TOOLS, 'compose/usr/lib/python3/dist-packages') },
    encoding: 'utf8',
    input,
  });

function readYaml<T>(text: string): T[] {
  const script = 'import json, sys, yaml; print(json.dumps([each for each in yaml.safe_load_all(sys.stdin) if each]))';
  return JSON.parse(python(['-c', script], {}, text).stdout);
}

interface ComposeService {
  image: string;
  read_only: boolean;
  tmpfs: string[];
  cap_drop: string[];
  security_opt: string[];
  user?: string;
}

const PASSWORDS = { POSTGRES_PASSWORD: 'a', MIGRATE_PASSWORD: 'b', SERVE_PASSWORD: 'c' };

/** Debian's Compose is older than the key `name`, which names the project. */
function composeConfig(env: NodeJS.ProcessEnv) {
  writeFileSync(join(directory.path, 'compose.yaml'), read('compose.yaml').replace(/^name: .*\n/m, ''));
  copyFileSync(join(CLONE, 'deploy/nameplate.env.example'), join(directory.path, 'nameplate.env'));
  return python([compose.path('docker-compose'), 'config'], env);
}

test('Compose reads compose.yaml, which confines the image of this version as its test does', () => {
  const { stdout, stderr, status } = composeConfig(PASSWORDS);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [file] = readYaml<{ services: Record<string, ComposeService> }>(stdout);
  const { postgres: _, ...ours } = file?.services ?? {};
  expect(Object.keys(ours).sort()).toEqual(['migrate', 'nameplate']);
  for (const { image, user, ...service } of Object.values(ours)) {
    // By number, in the image.
    expect({ image, user }).toEqual({ image: `nameplate:${version}`, user: undefined });
    expect({
      readOnly: service.read_only,
      capabilities: service.cap_drop.includes('ALL') ? [] : null,
      noNewPrivileges: service.security_opt.includes('no-new-privileges:true'),
      temporary: service.tmpfs,
      user: CONFINED.user,
    }).toEqual(CONFINED);
  }
});

test.each(Object.keys(PASSWORDS))('Compose starts nothing without %s', (name) => {
  const { status, stderr } = composeConfig({ ...PASSWORDS, [name]: '' });
  expect(status).toBe(1);
  expect(stderr).toContain('must be set in .env');
});

const settings = {
  NAMEPLATE_EDGE_THREADS: 0,
  NAMEPLATE_CACHE_MB: 1_000_000,
  NAMEPLATE_ACME_EMAIL: 'a&b@example.net',
  NAMEPLATE_ROLES: null,
};
const VALUES = { image: { repository: 'registry.example.net/nameplate' }, settings };

function helm(args: string[], values: object) {
  const input = JSON.stringify(values);
  return spawnSync(tools.helm, [...args, CHART, '--values', '-'], {
    env: { HOME: directory.path },
    encoding: 'utf8',
    input,
  });
}

const render = (values: object, release = 'nameplate') => helm(['template', release], values);

interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: object;
}

interface Container {
  name: string;
  image: string;
  securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean; capabilities: object };
  volumeMounts: { name: string; mountPath: string }[];
  env?: { name: string; value: string }[];
}

interface Pods extends Resource {
  spec: {
    template: {
      spec: {
        initContainers?: Container[];
        containers: Container[];
        securityContext: { runAsNonRoot: boolean; runAsUser: number };
        enableServiceLinks: boolean;
        imagePullSecrets?: { name: string }[];
        volumes: { name: string; emptyDir: object }[];
      };
    };
  };
}

const LABELS = 'app.kubernetes.io/name=nameplate,app.kubernetes.io/instance=nameplate';

function kubectl(words: string[], input = ''): Resource {
  const env = { HOME: directory.path, KUBECONFIG: '/dev/null' };
  return JSON.parse(execFileSync(tools.kubectl, [...words, '--output', 'json'], { env, input, encoding: 'utf8' }));
}

/** Reads a resource with the types of Kubernetes, which know no other fields, and writes it again. */
function asKubernetes(resource: Resource): Resource {
  const change =
    resource.kind === 'Service'
      ? ['set', 'selector', LABELS]
      : ['set', 'image', '*=registry.example.net/nameplate:other'];
  const [command = '', subject = '', ...rest] = change;
  return kubectl([command, subject, '--local', '--filename', '-', ...rest], JSON.stringify(resource));
}

test('Helm finds nothing to correct in the chart, and says which of its values are missing', () => {
  expect(helm(['lint', '--strict'], VALUES)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('0 chart(s) failed'),
  });
  expect(render({})).toMatchObject({ status: 1, stderr: expect.stringContaining('Set image.repository') });
  const several = render({ ...VALUES, replicas: 2 });
  expect(several).toMatchObject({ status: 1, stderr: expect.stringContaining('needs PostgreSQL') });
});

test('the chart takes the longest name for which Kubernetes makes pods, and no longer one', () => {
  // Each pod has the label controller-revision-hash: the name, a hyphen and up to 10 characters, at most 63 in all.
  expect(render(VALUES, 'n'.repeat(52)).status).toBe(0);
  const longer = render(VALUES, 'n'.repeat(53));
  expect(longer).toMatchObject({ status: 1, stderr: expect.stringContaining('at most 52 characters') });
});

test('the chart takes a tag that YAML reads as a number, and the Secret of a registry', () => {
  const image = { ...VALUES.image, tag: 20_261_128, pullSecret: 'registry' };
  const pods = readYaml<Pods>(render({ ...VALUES, image }).stdout).find(({ kind }) => kind === 'StatefulSet') as Pods;
  const { containers, imagePullSecrets } = pods.spec.template.spec;
  expect(containers.map((each) => each.image)).toEqual(['registry.example.net/nameplate:20261128']);
  expect(imagePullSecrets).toEqual([{ name: 'registry' }]);
  expect(asKubernetes(pods)).toMatchObject({ spec: { template: { spec: { imagePullSecrets } } } });
});

test('the chart lets Kubernetes stop one of several pods at a time', () => {
  const several = { ...VALUES, replicas: 2, secret: 'own' };
  const budget = readYaml<Resource>(render(several).stdout).find(({ kind }) => kind === 'PodDisruptionBudget');
  const words = ['create', 'poddisruptionbudget', 'nameplate', '--selector', LABELS, '--max-unavailable', '1'];
  const { apiVersion, spec } = kubectl([...words, '--dry-run=client']);
  expect(budget).toMatchObject({ apiVersion, spec });
});

test.each([
  { values: VALUES, containers: ['nameplate'], budgets: [] },
  {
    values: { ...VALUES, replicas: 3, secret: 'own', migrateSecret: 'migrates' },
    containers: ['migrate', 'nameplate'],
    budgets: ['PodDisruptionBudget nameplate'],
  },
])(
  'the chart renders pods that Kubernetes reads, and that confine the image as its test does: $containers',
  ({ values, containers, budgets }) => {
    const resources = readYaml<Resource>(render(values).stdout);
    expect(resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      ...budgets,
      'Service nameplate',
      'Service nameplate-edge',
      'StatefulSet nameplate',
    ]);
    const image = `registry.example.net/nameplate:${version}`;
    for (const resource of resources.filter(({ kind }) => kind !== 'PodDisruptionBudget')) {
      const text = JSON.stringify(asKubernetes(resource)).replaceAll('registry.example.net/nameplate:other', image);
      expect(JSON.parse(text)).toMatchObject(resource);
    }
    const pods = resources.find(({ kind }) => kind === 'StatefulSet') as Pods;
    const { spec } = pods.spec.template;
    const all = [...(spec.initContainers ?? []), ...spec.containers];
    expect(all.map(({ name }) => name)).toEqual(containers);
    const inMemory = spec.volumes.filter(({ emptyDir }) => emptyDir !== undefined).map(({ name }) => name);
    for (const { securityContext, volumeMounts, image: own } of all) {
      expect(own).toBe(image);
      expect(securityContext.capabilities).toEqual({ drop: ['ALL'] });
      expect({
        user: spec.securityContext.runAsNonRoot && spec.securityContext.runAsUser,
        readOnly: securityContext.readOnlyRootFilesystem,
        capabilities: [],
        noNewPrivileges: !securityContext.allowPrivilegeEscalation,
        temporary: volumeMounts.filter(({ name }) => inMemory.includes(name)).map(({ mountPath }) => mountPath),
      }).toEqual(CONFINED);
    }
    // A Service of this name would set variables that are no settings.
    expect(spec.enableServiceLinks).toBe(false);
    const env = spec.containers[0]?.env?.map(({ name, value }) => [name, value]) ?? [];
    expect(Object.fromEntries(env)).toEqual({
      NAMEPLATE_EDGE_THREADS: '0',
      NAMEPLATE_CACHE_MB: '1000000',
      NAMEPLATE_ACME_EMAIL: 'a&b@example.net',
    });
  },
);
