import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { Code } from '../inline.tsx';
import { Button } from './button.tsx';
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
export const OVERLAPS = { '0': 0, '1h': 3_600, '1d': 86_400, '7d': 604_800 } as const;

export type Overlap = keyof typeof OVERLAPS;

/** As the API has it unless told otherwise. */
export const USUAL_OVERLAP: Overlap = '1d';

/** For how long a secret works beside its successor. */
export function OverlapField({ value, onChange }: { value: Overlap; onChange: (overlap: Overlap) => void }) {
  return (
    <SelectField
      label={TEXT.secrets.overlap}
      options={Object.entries(TEXT.secrets.overlaps)}
      value={value}
      onChange={(overlap) => onChange(overlap as Overlap)}
    />
  );
}
