import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { OriginSettings } from '../../../../client/api-types.ts';
import { CliError, messageOf } from '../cli-error.ts';
import { apiCommand, define } from '../options.ts';
import { dateTime, factLines } from '../output/output.ts';
import { apiAction, type CommandCall } from './api-client.ts';
import { type Level, type PathOptions, pathFrom, pathOptions } from './tree-commands.ts';
import { parseOverlap, secretLines } from './webhooks.ts';

const LEVELS: Level[] = ['project', 'app', 'environment'];
const FLAGS = '--project shop --app storefront --environment staging';

/** An empty text takes a value away. */
interface SettingsOptions extends PathOptions {
  hostHeader?: string;
  clientCertificate?: string;
  clientKey?: string;
  ca?: string;
  sendExternalId?: boolean;
  secret: boolean;
}

export function addOrigins(program: Command): void {
  const settings = `nameplate origins settings ${FLAGS}`;
  const rotate = `nameplate origins rotate-secret ${FLAGS}`;
  const group = define(program, 'origins', 'Manage how the edge sends requests to the origins of an environment.', [
    settings,
    rotate,
  ]);
  const show =
    'Show how the edge sends requests to the origins of an environment, or change some of it. The value "none" removes a setting.';
  pathOptions(
    apiCommand(group, 'settings', show, [settings, `${settings} --host-header origin`])
      .option(
        '--host-header <host>',
        "Host header that the origin gets: visitor (the name requested), origin (the host of the origin's URL), or a fixed name",
        orNone,
      )
      .option(
        '--client-certificate <file>',
        'certificate that the edge presents to https origins (PEM); needs --client-key',
        readFile,
      )
      .option('--client-key <file>', 'private key of the client certificate (PEM)', readFile)
      .option('--ca <file>', 'accept only certificates from these CAs from https origins (PEM)', readFile)
      .option('--send-external-id', 'send origins the external id of the domain with each request')
      .option('--no-send-external-id', 'stop sending external ids')
      .option('--no-secret', 'stop sending a secret to origins'),
    LEVELS,
  ).action(
    apiAction(({ api, options }: CommandCall<SettingsOptions>) => {
      const { hostHeader, clientCertificate: certificate, clientKey = '', ca, sendExternalId, secret } = options;
      const change = {
        hostHeader: orNull(hostHeader),
        clientCertificate: certificate ? { certificate, privateKey: clientKey } : orNull(certificate),
        caCertificate: orNull(ca),
        sendExternalId,
        secret: secret ? undefined : null,
      };
      const isChanged = Object.values(change).some((value) => value !== undefined);
      const name = isChanged ? 'updateOriginSettings' : 'getOriginSettings';
      return api.call<OriginSettings>(`environments.${name}`, { ...pathFrom(api, options, LEVELS), ...change });
    }, describe),
  );
  const making =
    'Create a secret that proves to origins that a request came through the edge. It is shown only once. Until the overlap ends, the edge also sends the previous secret.';
  pathOptions(
    apiCommand(group, 'rotate-secret', making, [rotate, `${rotate} --overlap 7d`]).option(
      '--overlap <time>',
      'how long the edge also sends the previous secret, such as 7d; use 0 if it has leaked (default: 1d)',
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

function orNone(text: string): string {
  return text === 'none' ? '' : text;
}

function orNull(text: string | undefined): string | null | undefined {
  return text === '' ? null : text;
}

/** Throws `CliError` for a file that cannot be read. */
export function readFile(path: string): string {
  if (path === 'none') return '';
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`Cannot read ${path}: ${messageOf(error)}`);
  }
}

function describe({ environmentId, secret, ...settings }: OriginSettings): string {
  const before = secret?.previousExpiresAt;
  const until = before === undefined ? '' : `, and the one before until ${dateTime(before)}`;
  const facts: [string, string][] = [
    ['Host', settings.hostHeader],
    ['Secret', secret === undefined ? 'none' : `made ${dateTime(secret.createdAt)}${until}`],
    ['Client certificate', settings.clientCertificate === undefined ? 'none' : 'set'],
    ['CA of origins', settings.caCertificate === undefined ? 'public CAs' : 'set'],
    ['External ids', settings.sendExternalId ? 'sent' : 'not sent'],
  ];
  return [`Origins of ${environmentId}:`, '', ...factLines(facts)].join('\n');
}
