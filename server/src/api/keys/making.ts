import Type from 'typebox';
import { PRESET_NAMES, PRESETS, type PresetName } from '../../../../words/presets.ts';
import { GRANT, mayGrant } from '../../access/permissions.ts';
import type { Principal } from '../../access/root-key-cache.ts';
import { joinQuoted } from '../../domain/text.ts';
import type { AccessStore, ListedRootKey, MakerProblem } from '../../store/store.ts';
import { Problem, type ProblemCode } from '../errors.ts';
import { Id, pattern } from '../schemas.ts';
import { invalid } from '../validation.ts';

// Keys, tokens and workspaces that a key makes have this in common.

const Permission = Type.String({
  maxLength: 255,
  pattern: pattern(GRANT, () => [
    { message: 'is not a permission', fix: 'send one such as "environment.*.read_domain"' },
  ]),
  description: 'A permission such as `environment.*.read_domain`, which the caller must have.',
});

export const Permissions = Type.Array(Permission, {
  minItems: 1,
  maxItems: 100,
  description: 'Permissions of the token. If absent: all those of the root key.',
});

/** Properties of a request that say what a new key may do. */
export const grantedInRequest = {
  permissions: Type.Optional(
    Type.Array(Permission, { minItems: 1, maxItems: 100, description: 'Permissions of the new key.' }),
  ),
  preset: Type.Optional(
    Type.Enum(PRESET_NAMES, { type: 'string', description: 'A set of permissions, in addition to `permissions`.' }),
  ),
};

/** Properties of a response that has a new key. */
export const madeKey = {
  keyId: Id('key', 'The new key.'),
  key: Type.String({ description: 'The root key. Only this response contains it. Begins with `np_`.' }),
};

export const EXAMPLE_KEY = 'np_1NotAKeyJustAnExampleOfItsLength1111111111';

/** Errors of what a key makes. */
export const MAKING_PROBLEMS = [
  'authorization/exceeds_caller',
  'authorization/root_key_required',
  'application/sealing_unavailable',
] as const satisfies ProblemCode[];

/** The permissions that a request asks for, each once. Throws a `Problem` unless the caller may give each of them. */
export function permissionsOf(
  { grants }: Principal,
  { permissions = [], preset }: { permissions?: string[]; preset?: PresetName },
): string[] {
  const wanted = [...new Set([...permissions, ...(preset === undefined ? [] : PRESETS[preset])])];
  if (wanted.length === 0) throw invalid('body', 'must have "permissions" or "preset"', 'name what the key may do');
  const exceeding = wanted.filter((grant) => !mayGrant(grants, grant));
  if (exceeding.length > 0)
    throw new Problem('authorization/exceeds_caller', {
      detail: `The root key cannot give what it does not have: ${joinQuoted(exceeding, 10)}.`,
    });
  return wanted;
}

/** Who makes a key: the root key of the caller, or its session of the dashboard, which its keys outlive. Throws a `Problem` for any other token. */
export async function keyMakerOf(
  principal: Principal,
  store: Pick<AccessStore, 'findRootKey'>,
): Promise<{ id: string; expiresAt: number | null }> {
  return principal.signedIn === undefined ? makerOf(principal, store) : { id: principal.signedIn, expiresAt: null };
}

/** The root key of the caller. Throws a `Problem` for a dashboard token, which makes nothing. */
export async function makerOf(
  { kind, actor }: Principal,
  store: Pick<AccessStore, 'findRootKey'>,
): Promise<ListedRootKey> {
  if (kind !== 'root_key') throw new Problem('authorization/root_key_required');
  const maker = await store.findRootKey(actor);
  if (maker === null) throw problemOf('maker_missing');
  return maker;
}

const CODES = {
  maker_missing: 'authentication/key_not_found',
  maker_disabled: 'authorization/key_disabled',
  workspace_disabled: 'authorization/workspace_disabled',
  outlives_maker: 'authorization/exceeds_caller',
} as const satisfies Record<MakerProblem, ProblemCode>;

/** The refusal of what the caller's key may not make, or no longer. */
export function problemOf(problem: MakerProblem): Problem {
  const detail = 'The root key expires before what it is to make. Use a key that lasts as long, or ask for less time.';
  return new Problem(CODES[problem], problem === 'outlives_maker' ? { detail } : {});
}
