import Type, { type Static } from 'typebox';
import {
  type Brand,
  brandViolations,
  isWebOrigin,
  MAX_BRAND_NAME,
  MAX_LOGO_LENGTH,
  MAX_ORIGINS,
  MAX_SUPPORT_LENGTH,
} from '../../domain/brand.ts';
import { Problem, type Violation } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';

const Colour = (description: string) => Type.Optional(Type.String({ minLength: 7, maxLength: 7, description }));

export const BrandSchema = Type.Object(
  {
    // A character may have two code units.
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_BRAND_NAME, description: 'Name of your platform.' }),
    ),
    logo: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_LOGO_LENGTH,
        description: 'Logo as a `data:` URL in base64: a PNG, WebP, JPEG or SVG image of at most 64 KiB.',
      }),
    ),
    accent: Colour('Colour of buttons and links on a light background, such as `#1d5fd1`.'),
    accentDark: Colour('Colour of buttons and links on a dark background. Default: that of `accent`.'),
    support: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_SUPPORT_LENGTH,
        description: 'Where customers get help: a `mailto:` or `https:` URL.',
      }),
    ),
  },
  { title: 'Brand', description: 'How the workspace appears to its customers.' },
);
const NewBrandSchema = Type.Object(BrandSchema.properties, {
  ...closed,
  title: 'NewBrand',
  description: 'The new brand, which replaces the whole brand.',
});

export const Origins = Type.Array(Type.String({ minLength: 8, maxLength: 300 }), {
  maxItems: MAX_ORIGINS,
  description:
    'Origins of your pages that may show the set-up component, such as `https://app.example.net`: https, or http on loopback.',
});

const SetupPageSchema = Type.Object({ brand: BrandSchema, origins: Origins }, { title: 'SetupPage' });

/** Lists everything that is wrong with a new brand and its origins. */
function pageViolations({ brand = {}, origins = [] }: { brand?: Brand; origins?: string[] }): Violation[] {
  return [
    ...brandViolations(brand).map(({ property, message }) => ({ location: `body.brand.${property}`, message })),
    ...origins.flatMap((origin, i) =>
      isWebOrigin(origin)
        ? []
        : [
            {
              location: `body.origins.${i}`,
              message: 'must be an origin: "https://", a host in lower case, and a port that is not the usual one',
              fix: 'use an origin such as "https://app.example.net", without a path',
            },
          ],
    ),
  ];
}

export const examplePage: Static<typeof SetupPageSchema> = {
  brand: { name: 'Acme Shops', accent: '#1d5fd1', support: 'mailto:help@example.net' },
  origins: ['https://app.example.net'],
};

export const setBrand = defineOperation({
  name: 'setup.setBrand',
  summary: 'Set the brand of the workspace',
  description:
    'Replaces the brand, the list of origins, or both; an absent property stays as it is. Pages of the edge show the new brand within a second, and open set-up pages within two minutes. Requests from an origin that you remove are refused within a second; its open streams end within two minutes.',
  permission: { resource: 'setup', action: 'set_brand' },
  onAll: 'workspace',
  request: Type.Object({ brand: Type.Optional(NewBrandSchema), origins: Type.Optional(Origins) }, closed),
  response: SetupPageSchema,
  problems: [],
  example: { request: examplePage, response: examplePage },
  async handle({ principal: { workspaceId }, input, changes }) {
    const errors = pageViolations(input);
    if (errors.length > 0) throw new Problem('validation/invalid_input', { errors });
    const saved = await changes.saveSetupPage(workspaceId, input);
    // Unreachable: a key belongs to a workspace, and workspaces are not deleted.
    if (saved === null) throw new Error('the workspace of a key does not exist');
    return saved;
  },
});

export const getBrand = defineOperation({
  name: 'setup.getBrand',
  summary: 'Get the brand of the workspace',
  description:
    'Returns how the workspace appears on its set-up pages, and the origins of your pages that may show the set-up component.',
  permission: { resource: 'setup', action: 'read_brand' },
  onAll: 'workspace',
  request: Type.Object({}, closed),
  response: SetupPageSchema,
  problems: [],
  example: { request: {}, response: examplePage },
  async handle({ principal: { workspaceId } }, { store }) {
    return store.findSetupPage(workspaceId);
  },
});
