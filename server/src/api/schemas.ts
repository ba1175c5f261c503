import Type, { type Static, type TObject, type TSchema } from 'typebox';

/** Schemas that several operations share. A `title` names the schema in the OpenAPI document. */

/**
 * No additional properties: every request, and the objects of the specification. Other objects in responses are open:
 * a later release may add properties to them.
 */
export const closed = { additionalProperties: false } as const;

/** Explains what is wrong with a text that does not match a pattern. */
type PatternRule = (text: string) => { message: string; fix?: string }[];

const patternRules = new Map<string, PatternRule>();

/** Registers the explanation of a text that does not match: a message, or a function that returns some. */
export function pattern(source: string, rule: string | PatternRule): string {
  patternRules.set(source, typeof rule === 'string' ? () => [{ message: rule }] : rule);
  return source;
}

export function explainPattern(source: string, text: string): ReturnType<PatternRule> {
  return patternRules.get(source)?.(text) ?? [{ message: `must match ${source}` }];
}

const REFERENCE = pattern('^[a-zA-Z0-9_-]+$', 'may hold only letters, digits, "_" and "-"');
const SLUG = pattern('^[a-z0-9-]+$', 'may hold only lower-case letters, digits and "-"');
/** The form of a cursor in a list in order of names. */
export const NAME_CURSOR = pattern('^[a-zA-Z0-9._-]+$', 'may hold only letters, digits, ".", "_" and "-"');
/**
 * Without control characters and lone surrogates, which not every store can keep. It means the same with and without
 * the `u` flag, which many tools do not set: a surrogate pair is one character or two.
 */
export const TEXT = pattern(
  '^(?:[^\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]|[\\uD800-\\uDBFF][\\uDC00-\\uDFFF])*$',
  'may not hold control characters',
);

export const Meta = Type.Object(
  { requestId: Type.String({ description: 'Unique id of the request. Give it when you contact support.' }) },
  { ...closed, title: 'Meta' },
);

export const Pagination = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({ description: '`cursor` for a request for the next page; absent on the last page.' }),
    ),
    hasMore: Type.Boolean({ description: 'Whether there is a next page.' }),
  },
  { ...closed, title: 'Pagination' },
);

export const ValidationError = Type.Object(
  {
    location: Type.String({ description: 'Which part of the request is wrong, such as `body.domain`.' }),
    message: Type.String({ description: 'The rule that was violated.' }),
    fix: Type.Optional(Type.String({ description: 'How to correct it, if known.' })),
  },
  { ...closed, title: 'ValidationError' },
);

/** An optional property of a request that changes something: null removes the value. */
export function orNull<Schema extends TSchema>(schema: Schema) {
  const { type, enum: values }: TSchema & { type?: string; enum?: unknown[] } = schema;
  const widened = { type: [type, 'null'], ...(values && { enum: [...values, null] }) };
  return Type.Optional(Type.Unsafe<Static<Schema> | null>({ ...schema, ...widened }));
}

/** Id of a resource in a response. */
export function Id(prefix: string, description: string) {
  return Type.String({
    minLength: 8,
    maxLength: 255,
    pattern: '^[a-zA-Z0-9_]+$',
    description: `${description} Begins with \`${prefix}_\`.`,
  });
}

/** A resource named in a request. */
export function Reference(what: string) {
  return Type.String({ minLength: 3, maxLength: 255, pattern: REFERENCE, description: `Id or slug of the ${what}.` });
}

/** A parent of what a request names. An id needs none: it says which one it is. */
export function ParentReference(what: 'project' | 'app') {
  const below = what === 'project' ? 'app' : 'environment';
  const description = `Id or slug of the ${what}. Required if \`${below}\` is a slug. Otherwise you can omit it; if you send it, it must match.`;
  return Type.Optional(Type.String({ minLength: 3, maxLength: 255, pattern: REFERENCE, description }));
}

/** Properties of a request that name an environment, and an example of them. */
export const environmentPath = {
  project: ParentReference('project'),
  app: ParentReference('app'),
  environment: Reference('environment'),
};
export const exampleEnvironmentPath = { project: 'demo', app: 'web', environment: 'production' };

export const Slug = Type.String({
  minLength: 3,
  maxLength: 64,
  pattern: SLUG,
  description:
    'Short name for use in requests: lower-case letters, digits and hyphens. Unique in the workspace, project or app that contains it.',
});

export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: TEXT, description: 'Display name.' });

/** Unix time in milliseconds (spec: int64). */
export function Time(description: string) {
  return Type.Integer({ format: 'int64', description: `${description} Unix time in milliseconds.` });
}

/** A time in a request: any since 1970 that a `Date` can have. */
export function GivenTime(description: string) {
  return Type.Integer({ ...Time(description), minimum: 0, maximum: 8_640_000_000_000_000 });
}

/** Properties of a request for one page of a list. */
export const pageRequest = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Maximum number of items on the page; 100 if absent.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: REFERENCE,
      description: '`pagination.cursor` of the previous page; absent for the first page.',
    }),
  ),
};

/** A text to search for in a list of domains. */
export const SEARCH = Type.Optional(
  Type.String({
    maxLength: 256,
    pattern: TEXT,
    description: 'Only domains whose id or name contains this text; upper and lower case are the same.',
  }),
);

/** The store's query for one page. */
export function pageOf({ limit = 100, cursor }: { limit?: number; cursor?: string }) {
  return { limit, cursor };
}

/**
 * Values that a schema can show. They may be null where the schema allows a property to be absent, and may have more
 * properties.
 */
type Showable<Shown> = Shown extends readonly (infer Item)[]
  ? readonly Showable<Item>[]
  : Shown extends object
    ? {
        readonly [Name in keyof Shown]: object extends Pick<Shown, Name>
          ? Showable<Shown[Name]> | null | undefined
          : Showable<Shown[Name]>;
      }
    : Shown;

/**
 * Shows objects by a schema: the properties that it has, in its order. Those without a value are absent, never null.
 */
export function shownBy<Schema extends TObject>(schema: Schema): (object: Showable<Static<Schema>>) => Static<Schema> {
  return (object) => show(schema, object) as Static<Schema>;
}

function show(schema: TSchema, value: unknown): unknown {
  if (Type.IsArray(schema) && Array.isArray(value)) return value.map((item) => show(schema.items, item));
  if (!Type.IsObject(schema)) return value;
  const object = value as Record<string, unknown>;
  const shown: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const own = object[name];
    if (own !== null && own !== undefined) shown[name] = show(property, own);
  }
  return shown;
}

/** The data of a response that says nothing. */
export const Empty = Type.Object({});
