import { useEffect, useRef, useState } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { Code } from '../inline.tsx';
import { Button } from './button.tsx';
import { CallDialog, type CallDialogProps } from './call-dialog.tsx';
import type { ShownCall } from './command.tsx';
import { SelectField } from './fields.tsx';
import { TEXT } from './text.ts';

/** A secret, until somebody says that it is saved. */
export function SecretOnce({ title, secret, onSaved }: { title: string; secret: string; onSaved: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [secret]);
  return (
    <section class="card secret">
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p>{TEXT.secrets.once}</p>
      <div class="actions">
        <Code text={secret} />
        <CopyButton text={secret} what={TEXT.signs.colon + title} />
      </div>
      <Button isSmall onClick={onSaved}>
        {TEXT.secrets.saved}
      </Button>
    </section>
  );
}

/** In seconds, by the words of the command. */
const OVERLAPS = { '0': 0, '1h': 3_600, '1d': 86_400, '7d': 604_800 } as const;

type Overlap = keyof typeof OVERLAPS;

type RotateDialogProps<Data> = Pick<CallDialogProps<Data>, 'title' | 'text' | 'label' | 'onDone' | 'onClose'> & {
  /** Without the time that both work. */
  call: ShownCall;
  /** Whether there is one that works beside its successor. */
  hasOne?: boolean;
};

/** Makes a secret in place of another, which works beside it for a while. */
export function RotateDialog<Data>({ call, hasOne = true, ...dialog }: RotateDialogProps<Data>) {
  // As the API has it unless told otherwise.
  const [overlap, setOverlap] = useState<Overlap>('1d');
  const input = { ...call.input, overlapSeconds: OVERLAPS[overlap] };
  return (
    <CallDialog {...dialog} call={{ ...call, input, command: [...call.command, '--overlap', overlap] }}>
      {hasOne && (
        <SelectField
          label={TEXT.secrets.overlap}
          options={Object.entries(TEXT.secrets.overlaps)}
          value={overlap}
          onChange={(chosen) => setOverlap(chosen as Overlap)}
        />
      )}
    </CallDialog>
  );
}
