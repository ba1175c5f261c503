import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { ApiCalls, OriginSettings } from '../../../../client/api-types.ts';
import { CliError, messageOf } from '../cli-error.ts';
import { apiCommand, define } from '../options.ts';
import { dateTime, factLines } from '../output/output.ts';
import { apiAction, type CommandCall } from './api-client.ts';
import { type Level, type PathOptions, pathFrom, pathOptions } from './tree-commands.ts';
import { parseOverlap, secretLines } from './webhooks.ts';

const LEVELS: Level[] = ['project', 'app', 'environment'];
const FLAGS = '--project shop --app storefront --environment staging';

type Change = Omit<Parameters<ApiCalls['environments']['updateOriginSettings']>[0], Level>;

interface SettingsOptions extends PathOptions {
  hostHeader?: string;
  clientCertificate?: string;
  clientKey?: string;
  ca?: string;
  secret: boolean;
}

export function addOrigins(program: Command): void {
  const settings = `nameplate origins settings ${FLAGS}`;
  const rotate = `nameplate origins rotate-secret ${FLAGS}`;
  const group = define(program, 'origins', 'Set how the edge asks the origins of an environment.', [settings, rotate]);
  const show = 'Show how the origins of an environment are asked, or change some of it. "none" takes a value away.';
  pathOptions(
    apiCommand(group, 'settings', show, [settings, `${settings} --host-header origin`])
      .option('--host-header <host>', 'Host that the origin gets: visitor, origin, or a name')
      .option(
        '--client-certificate <file>',
        'certificate that the edge shows to https origins (PEM), with --client-key',
      )
      .option('--client-key <file>', 'its private key (PEM)')
      .option('--ca <file>', 'CAs that certificates of https origins have to be of (PEM)')
      .option('--no-secret', 'send no secret any more'),
    LEVELS,
  ).action(
    apiAction(({ api, options }: CommandCall<SettingsOptions>) => {
      const [path, change] = [pathFrom(api, options, LEVELS), changeOf(options)];
      const name = Object.keys(change).length === 0 ? 'getOriginSettings' : 'updateOriginSettings';
      return api.call<OriginSettings>(`environments.${name}`, { ...path, ...change });
    }, describe),
  );
  const making = 'Make a secret by which origins know the edge, shown once. For a day the one before is sent too.';
  pathOptions(
    apiCommand(group, 'rotate-secret', making, [rotate, `${rotate} --overlap 7d`]).option(
      '--overlap <time>',
      'how long the secret before is sent too, such as 7d; 0 if it has leaked (default: 1d)',
      parseOverlap,
    ),
    LEVELS,
  ).action(
    apiAction(
      ({ api, options }: CommandCall<PathOptions & { overlap?: number }>) => {
        const { overlap } = options;
        const body = { ...pathFrom(api, options, LEVELS), ...(overlap !== undefined && { overlapSeconds: overlap }) };
        return api.call<{ secret: string; previousExpiresAt: number }>('environments.rotateOriginSecret', body);
      },
      ({ secret, previousExpiresAt }) =>
        secretLines(
          'This is the secret, which the edge sends as Nameplate-Edge-Secret. Save it now: it is not shown again.',
          secret,
          `If there was one before, it is sent too until ${dateTime(previousExpiresAt)}.`,
        ),
    ),
  );
}

/** Throws `CliError` for a file that cannot be read. */
function changeOf({ hostHeader, clientCertificate, clientKey, ca, secret }: SettingsOptions): Change {
  const orNull = (value: string | undefined) => (value === 'none' ? null : value);
  const fileOf = (path: string | undefined) => (path === undefined || path === 'none' ? orNull(path) : read(path));
  const certificate = fileOf(clientCertificate);
  const caCertificate = fileOf(ca);
  return {
    ...(hostHeader !== undefined && { hostHeader: orNull(hostHeader) ?? null }),
    ...(caCertificate !== undefined && { caCertificate }),
    ...(certificate === null && { clientCertificate: null }),
    ...(certificate && { clientCertificate: { certificate, privateKey: fileOf(clientKey) ?? '' } }),
    ...(!secret && { secret: null }),
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`Cannot read ${path}: ${messageOf(error)}`);
  }
}

function describe({ environmentId, hostHeader, secret, clientCertificate, caCertificate }: OriginSettings): string {
  const until = secret?.previousExpiresAt;
  const facts: [string, string][] = [
    ['Host', hostHeader],
    ['Secret', secret === undefined ? 'none' : `made ${dateTime(secret.createdAt)}`],
    ...(until === undefined ? [] : ([['Secret before', `sent until ${dateTime(until)}`]] as [string, string][])),
    ['Client certificate', clientCertificate === undefined ? 'none' : 'set'],
    ['CA of origins', caCertificate === undefined ? 'public CAs' : 'set'],
  ];
  return [`Origins of ${environmentId}:`, '', ...factLines(facts)].join('\n');
}
