import { PRESET_NAMES, PRESETS, type PresetName } from '../../words/presets.ts';

/** Whether somebody with the permissions `own` may give all of these: nobody gives what they lack. */
export function mayGive(own: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((grant) => own.includes(grant) || own.includes(grant.replace(/^([^.]+)\.[^.]+\./, '$1.*.')));
}

/** The presets that somebody with these permissions may give, the least first. */
export function givable(own: readonly string[]): PresetName[] {
  return PRESET_NAMES.filter((preset) => mayGive(own, PRESETS[preset]));
}
