import { useState } from 'preact/hooks';
import type { CreatedKey } from '../../client/client.ts';
import { CallDialog, type ShownCall } from './call-dialog.tsx';
import { useDashboard } from './context.ts';
import { givable, type Preset } from './keys-presets.ts';
import { Field } from './parts.tsx';
import { TEXT } from './text.ts';

/** Days. */
const LIVES = ['', 7, 30, 90, 365] as const;

const DAY_MS = 86_400_000;

/** Asks what a new key may do, and makes it. */
export function NewKey({ onDone, onClose }: { onDone: (name: string, key: string) => void; onClose: () => void }) {
  const { person } = useDashboard();
  const presets = givable(person.permissions);
  const [name, setName] = useState('');
  const [preset, setPreset] = useState<Preset | 'chosen'>(presets[0] ?? 'chosen');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [life, setLife] = useState<string>('');
  const toggle = (permission: string, isOn: boolean) =>
    setChosen((before) => (isOn ? [...before, permission] : before.filter((each) => each !== permission)));
  return (
    <CallDialog<CreatedKey>
      title={TEXT.keys.make}
      label={TEXT.keys.make}
      call={callOf({
        workspaceId: person.workspaceId,
        name,
        preset,
        chosen,
        days: life === '' ? null : Number(life),
        now: Date.now(),
      })}
      onDone={({ key }) => onDone(name, key)}
      onClose={onClose}
    >
      <Field label={TEXT.keys.name} hint={TEXT.keys.nameHint}>
        {(control) => (
          <input {...control} required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        )}
      </Field>
      <Field label={TEXT.keys.may}>
        {(control) => (
          <select
            {...control}
            value={preset}
            onChange={({ currentTarget }) => setPreset(currentTarget.value as Preset)}
          >
            {([...presets, 'chosen'] as const).map((each) => (
              <option key={each} value={each}>
                {TEXT.keys.presets[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {preset === 'chosen' && (
        <fieldset class="choices">
          <legend>{TEXT.keys.may}</legend>
          {person.permissions.map((permission) => (
            <label key={permission}>
              <input
                type="checkbox"
                checked={chosen.includes(permission)}
                onChange={({ currentTarget }) => toggle(permission, currentTarget.checked)}
              />
              <code>{permission}</code>
            </label>
          ))}
        </fieldset>
      )}
      <Field label={TEXT.keys.expires}>
        {(control) => (
          <select {...control} value={life} onChange={({ currentTarget }) => setLife(currentTarget.value)}>
            {LIVES.map((days) => (
              <option key={days} value={days}>
                {TEXT.keys.lives[days]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </CallDialog>
  );
}

interface Wanted {
  workspaceId: string;
  name: string;
  preset: Preset | 'chosen';
  chosen: readonly string[];
  days: number | null;
  /** Unix ms. */
  now: number;
}

function callOf({ workspaceId, name, preset, chosen, days, now }: Wanted): ShownCall {
  const isChosen = preset === 'chosen';
  return {
    operation: 'keys.createKey',
    input: {
      name,
      ...(isChosen ? { permissions: chosen } : { preset }),
      ...(days !== null && { expiresAt: now + days * DAY_MS }),
    },
    command: [
      ...['keys', 'create', '--workspace', workspaceId, '--name', name],
      ...(isChosen ? chosen.flatMap((permission) => ['--permission', permission]) : ['--preset', preset]),
      ...(days === null ? [] : ['--expires', `${days}d`]),
    ],
  };
}
