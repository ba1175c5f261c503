import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type Brand, type BrandProperty, brandViolations, isWebOrigin, MAX_ORIGINS } from '../../domain/brand.ts';
import type { SetupPage } from '../../store/store.ts';
import { CliError, EXIT, messageOf } from '../cli-error.ts';
import { type StoreOptions, storeCommand } from '../options.ts';
import { pairTable, show } from '../output/output.ts';
import { withChanges } from './open-database.ts';

interface BrandOptions extends StoreOptions {
  name?: string;
  logo?: string;
  accent?: string;
  accentDark?: string;
  support?: string;
  origin?: string[];
}

const FLAGS: Record<BrandProperty, string> = {
  name: '--name',
  logo: '--logo',
  accent: '--accent',
  accentDark: '--accent-dark',
  support: '--support',
};
const PROPERTIES = Object.keys(FLAGS) as BrandProperty[];

const IMAGE_TYPES: Record<string, string> = {
  '.png': 'png',
  '.webp': 'webp',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.svg': 'svg+xml',
};

/** `example`: a workspace. `missing`: the error where there is none. */
export function addBrand(workspaces: Command, example: string, missing: (id: string) => CliError): void {
  const summary =
    'Show how a workspace appears on its set-up pages, or change some of it. The value "none" removes a setting.';
  storeCommand(workspaces, 'brand <id>', summary, [
    example,
    `${example} --name "Acme Shops" --logo logo.svg --accent '#1d5fd1' --support mailto:help@example.net`,
    `${example} --origin https://app.example.net --origin https://admin.example.net`,
  ])
    .option('--name <name>', 'name of the platform')
    .option('--logo <file>', 'PNG, WebP, JPEG or SVG image of at most 64 KiB', readLogo)
    .option('--accent <colour>', 'colour of buttons and links, such as #1d5fd1')
    .option('--accent-dark <colour>', 'the same on a dark background')
    .option('--support <url>', 'where customers get help: a mailto: or https: URL')
    .option(
      '--origin <origin>',
      'origin of a page that may show the set-up component; repeat it for several. Replaces all previous origins',
      collectOrigins,
    )
    .action(async (id: string, options: BrandOptions) => {
      const page = await withChanges(options, 'workspaces brand', async (store) => {
        if ((await store.findWorkspace(id)) === null) throw missing(id);
        const change = changeOf((await store.findSetupPage(id)).brand, options);
        if (Object.keys(change).length === 0) return store.findSetupPage(id);
        const saved = await store.saveSetupPage(id, change);
        if (saved === null) throw missing(id);
        return saved;
      });
      show(options, { id, ...page }, describePage);
    });
}

function changeOf(before: Brand, options: BrandOptions): Partial<SetupPage> {
  const { origin } = options;
  const given = PROPERTIES.filter((property) => options[property] !== undefined);
  const brand: Brand = { ...before };
  for (const property of given) {
    const value = options[property];
    if (value === undefined || value === 'none') delete brand[property];
    else brand[property] = value;
  }
  const [violation] = brandViolations(brand);
  if (violation !== undefined) {
    throw new CliError(`${FLAGS[violation.property]} ${violation.message}.`, { exitCode: EXIT.usage });
  }
  return { ...(given.length > 0 && { brand }), ...(origin !== undefined && { origins: origin }) };
}

function readLogo(file: string): string {
  if (file === 'none') return file;
  const type = IMAGE_TYPES[extname(file).toLowerCase()];
  if (type === undefined) throw new InvalidArgumentError('Expected a .png, .webp, .jpg or .svg file.');
  try {
    return `data:image/${type};base64,${readFileSync(file).toString('base64')}`;
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${messageOf(error)}`);
  }
}

function collectOrigins(text: string, before: string[] = []): string[] {
  if (text === 'none') return [];
  if (!isWebOrigin(text)) {
    throw new InvalidArgumentError(
      'Expected an origin such as https://app.example.net: https (or http on loopback), no path, and the port only if it is not the usual one.',
    );
  }
  if (before.length === MAX_ORIGINS) throw new InvalidArgumentError(`A workspace has ${MAX_ORIGINS} origins at most.`);
  return [...before, text];
}

function describePage({ brand, origins }: SetupPage): string {
  const rows = [
    ...PROPERTIES.map((property) => [FLAGS[property].slice(2), shown(property, brand[property])]),
    ['origins', origins.length === 0 ? '–' : origins.join(', ')],
  ];
  return pairTable(['What', 'Value'], rows);
}

function shown(property: BrandProperty, value: string | undefined): string {
  if (value === undefined) return '–';
  if (property !== 'logo') return value;
  const [type = ''] = value.slice('data:'.length).split(';');
  return `${type}, ${Buffer.from(value.slice(value.indexOf(',') + 1), 'base64').length} bytes`;
}
