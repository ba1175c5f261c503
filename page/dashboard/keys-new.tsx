import { useState } from 'preact/hooks';
import type { CreatedKey } from '../../client/client.ts';
import type { PresetName } from '../../words/presets.ts';
import { CallDialog } from './call-dialog.tsx';
import { useDashboard } from './context.ts';
import { SelectField, TextField, Ticks } from './fields.tsx';
import { givable } from './keys-presets.ts';
import { TEXT } from './text.ts';

const DAY_MS = 86_400_000;

/** Asks what a new key may do, and makes it. */
export function NewKey({ onDone, onClose }: { onDone: (name: string, key: string) => void; onClose: () => void }) {
  const { person } = useDashboard();
  const presets = givable(person.permissions);
  const [name, setName] = useState('');
  const [preset, setPreset] = useState<PresetName | 'chosen'>(presets[0] ?? 'chosen');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [life, setLife] = useState('');
  const isChosen = preset === 'chosen';
  return (
    <CallDialog<CreatedKey>
      title={TEXT.keys.make}
      call={{
        operation: 'keys.createKey',
        input: {
          name,
          ...(isChosen ? { permissions: chosen } : { preset }),
          ...(life !== '' && { expiresAt: Date.now() + Number(life) * DAY_MS }),
        },
        command: [
          ...['keys', 'create', '--workspace', person.workspaceId, '--name', name],
          ...(isChosen ? chosen.flatMap((permission) => ['--permission', permission]) : ['--preset', preset]),
          ...(life === '' ? [] : ['--expires', `${life}d`]),
        ],
      }}
      onDone={({ key }) => onDone(name, key)}
      onClose={onClose}
    >
      <TextField label={TEXT.keys.name} hint={TEXT.keys.nameHint} required value={name} onChange={setName} />
      <SelectField
        label={TEXT.keys.may}
        options={[...presets, 'chosen' as const].map((each) => [each, TEXT.keys.presets[each]])}
        value={preset}
        onChange={(value) => setPreset(value as PresetName)}
      />
      {isChosen && <Ticks legend={TEXT.keys.may} values={person.permissions} chosen={chosen} onChange={setChosen} />}
      <SelectField
        label={TEXT.keys.expires}
        // An object has its numbers first: the end that is none comes before them.
        options={Object.entries(TEXT.keys.lives).sort(([one], [other]) => Number(one) - Number(other))}
        value={life}
        onChange={setLife}
      />
    </CallDialog>
  );
}
