import Type from 'typebox';
import type { OwnData } from '../../domain/domain.ts';
import {
  findExcess,
  LARGEST_METADATA,
  LONGEST_EXTERNAL_ID,
  LONGEST_KEY,
  LONGEST_VALUE,
  type Metadata,
  MOST_PAIRS,
  MOST_WANTED_PAIRS,
} from '../../domain/own-data.ts';
import type { Problem } from '../errors.ts';
import { pattern, TEXT } from '../schemas.ts';
import { invalid } from '../validation.ts';

/** Schemas of what a platform keeps with a domain. */

const KEY = pattern(
  `^[A-Za-z0-9_.-]{1,${LONGEST_KEY}}$`,
  `may only have keys of 1 to ${LONGEST_KEY} letters, digits, "_", "." and "-"`,
);

const externalIdRules = { minLength: 1, maxLength: LONGEST_EXTERNAL_ID, pattern: TEXT };
const valueRules = { maxLength: LONGEST_VALUE, pattern: TEXT };
const LIMITS = `At most ${MOST_PAIRS} pairs of texts without control characters, and ${LARGEST_METADATA} bytes as JSON.`;

export const ExternalId = Type.String({
  ...externalIdRules,
  description: 'Your own id for the domain, without control characters. Several domains may have the same id.',
});

export const MetadataSchema = Type.Unsafe<Metadata>({
  type: 'object',
  propertyNames: { type: 'string', pattern: KEY },
  additionalProperties: { type: 'string', ...valueRules },
  maxProperties: MOST_PAIRS,
  description: `Your own data. ${LIMITS}`,
});

/** Properties of a request that creates a domain. */
export const ownDataOfNew = {
  externalId: Type.Optional(ExternalId),
  metadata: Type.Optional(MetadataSchema),
};

/** Properties of a request for a list. */
export const wantedOwnData = {
  externalId: Type.Optional(
    Type.String({ ...externalIdRules, description: 'Only domains that have exactly this external id.' }),
  ),
  metadata: Type.Optional(
    Type.Unsafe<Metadata>({
      type: 'object',
      propertyNames: { type: 'string', pattern: KEY },
      additionalProperties: { type: 'string', ...valueRules },
      minProperties: 1,
      maxProperties: MOST_WANTED_PAIRS,
      description: `Only domains whose metadata has each of these pairs, at most ${MOST_WANTED_PAIRS}.`,
    }),
  ),
};

/** Properties of a request that changes them. */
export const changedOwnData = {
  externalId: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      ...externalIdRules,
      description: 'Your own id for the domain; null removes it.',
    }),
  ),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, string | null> | null>({
      type: ['object', 'null'],
      propertyNames: { type: 'string', pattern: KEY },
      additionalProperties: { type: ['string', 'null'], ...valueRules },
      maxProperties: 2 * MOST_PAIRS,
      description: `Pairs to add or replace. The value null removes a pair, and null instead of the object removes all pairs. Other pairs stay. ${LIMITS}`,
    }),
  ),
};

/** The two as a response has them. */
export const shownOwnData = {
  externalId: Type.Optional(Type.String({ description: 'Your own id for the domain.' })),
  metadata: Type.Optional(
    Type.Unsafe<Metadata>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Your own data.',
    }),
  ),
};

const FIX = 'remove pairs, or shorten their values';

/** Why a domain may not be created with this data, at a place of the request; null: it may. */
export function excessProblem(own: OwnData, location: string): Problem | null {
  const excess = findExcess(own);
  return excess === null ? null : invalid(`${location}.metadata`, excess, FIX);
}

/** The refusal of a change after which metadata would be too large. */
export function tooLarge(): Problem {
  return invalid('body.metadata', `must have at most ${MOST_PAIRS} pairs and ${LARGEST_METADATA} bytes as JSON`, FIX);
}
