import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { NameplateError, type SetupPage } from '../../client/client.ts';
import { isColour } from '../colours.ts';
import { Problem, useAction } from './action-button.tsx';
import { type BrandDraft, draftOf, pageOf, problemsOf } from './brand-draft.ts';
import { BrandPreview } from './brand-preview.tsx';
import { Button } from './button.tsx';
import { Command } from './command.tsx';
import { mayDo, useDashboard } from './context.ts';
import { Field, TextArea } from './fields.tsx';
import { useLoad } from './load.ts';
import { LoadState } from './load-failed.tsx';
import { PageHead } from './parts.tsx';
import { TEXT } from './text.ts';
import { useToast } from './toast.tsx';

/** The brand of set-up pages, with a preview of what is typed. */
export function BrandPage() {
  const { client } = useDashboard();
  const loaded = useLoad('brand', (signal) => client.setup.getBrand({}, { signal }));
  return (
    <>
      <PageHead title={TEXT.pages.brand} about={TEXT.brand.about} />
      <LoadState {...loaded} />
      {loaded.data !== undefined && <BrandForm saved={loaded.data} />}
    </>
  );
}

function BrandForm({ saved: savedAtFirst }: { saved: SetupPage }) {
  const { client, person } = useDashboard();
  const toast = useToast();
  const [saved, setSaved] = useState(savedAtFirst);
  const [draft, setDraft] = useState(() => draftOf(savedAtFirst));
  const mayChange = mayDo(person, 'setup', 'set_brand');
  const page = pageOf(draft);
  const { act, isBusy, error } = useAction(async () => {
    setSaved(await client.setup.setBrand(page));
    toast({ text: TEXT.brand.saved });
  });
  const said = error instanceof NameplateError ? problemsOf(error.errors) : {};
  const isAboutParts = Object.keys(said).some((part) => part !== 'form');
  const change = (changes: Partial<BrandDraft>) => setDraft((before) => ({ ...before, ...changes }));

  const save = (event: Event) => {
    event.preventDefault();
    act();
  };

  return (
    <div class="brand">
      <form class="card stack" onSubmit={save}>
        <fieldset class="plain stack" disabled={!mayChange}>
          <Part part="name" {...{ draft, change, said }} />
          <LogoField logo={draft.logo} error={said.logo} onChange={(logo) => change({ logo })} />
          <Part part="accent" {...{ draft, change, said }}>
            <Picker part="accent" draft={draft} change={change} />
          </Part>
          <Part part="accentDark" {...{ draft, change, said }}>
            <Picker part="accentDark" draft={draft} change={change} />
          </Part>
          <Part part="support" {...{ draft, change, said }} />
          <TextArea
            label={TEXT.brand.origins}
            hint={TEXT.brand.originsHint}
            error={said.origins}
            rows={3}
            value={draft.origins}
            onChange={(origins) => change({ origins })}
          />
        </fieldset>
        {!isAboutParts && <Problem error={error} />}
        {mayChange && (
          <div class="actions">
            <button type="submit" class="button" aria-busy={isBusy} aria-disabled={isBusy ? 'true' : undefined}>
              {TEXT.brand.save}
            </button>
            {JSON.stringify(page) !== JSON.stringify(pageOf(draftOf(saved))) && (
              <span class="note">{TEXT.brand.unsaved}</span>
            )}
          </div>
        )}
        {mayChange && (
          <Command operation="setup.setBrand" input={page} command={commandOfBrand(person.workspaceId, draft)} />
        )}
      </form>
      <BrandPreview brand={page.brand} />
    </div>
  );
}

interface PartProps {
  part: 'name' | 'accent' | 'accentDark' | 'support';
  draft: BrandDraft;
  change: (changes: Partial<BrandDraft>) => void;
  said: ReturnType<typeof problemsOf>;
  children?: ComponentChildren;
}

function Part({ part, draft, change, said, children }: PartProps) {
  return (
    <Field {...TEXT.brand.fields[part]} error={said[part] && <span lang="en">{said[part]}</span>}>
      {(control) => (
        <div class="actions">
          <input
            {...control}
            value={draft[part]}
            autocomplete="off"
            onInput={({ currentTarget }) => change({ [part]: currentTarget.value })}
          />
          {children}
        </div>
      )}
    </Field>
  );
}

const UNSET = '#2450c8';

function Picker({ part, draft, change }: Pick<PartProps, 'draft' | 'change'> & { part: 'accent' | 'accentDark' }) {
  const value = [draft[part], draft.accent, UNSET].find(isColour) ?? UNSET;
  return (
    <input
      type="color"
      aria-label={TEXT.brand.pick(TEXT.brand.fields[part].label)}
      value={value}
      onInput={({ currentTarget }) => change({ [part]: currentTarget.value })}
    />
  );
}

interface LogoFieldProps {
  logo: string;
  error: string | undefined;
  onChange: (logo: string) => void;
}

function LogoField({ logo, error, onChange }: LogoFieldProps) {
  function read(file: File | undefined): void {
    if (file === undefined) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result));
    reader.readAsDataURL(file);
  }
  return (
    <Field label={TEXT.brand.logo} hint={TEXT.brand.logoHint} error={error}>
      {(control) => (
        <div class="actions">
          <input
            {...control}
            type="file"
            accept="image/png,image/webp,image/jpeg,image/svg+xml"
            onChange={({ currentTarget }) => read(currentTarget.files?.[0])}
          />
          {logo !== '' && (
            <Button isSmall onClick={() => onChange('')}>
              {TEXT.brand.removeLogo}
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}

/** The command takes the logo as a file. */
function commandOfBrand(
  workspaceId: string,
  { name, accent, accentDark, support, logo, origins }: BrandDraft,
): string[] {
  const options = [
    ['--name', name],
    ['--accent', accent],
    ['--accent-dark', accentDark],
    ['--support', support],
    ['--logo', logo === '' ? '' : 'logo.png'],
    ...origins.split('\n').map((origin) => ['--origin', origin]),
  ].filter(([, value]) => value?.trim());
  return ['workspaces', 'brand', workspaceId, ...options.flat().map((word) => word.trim())];
}
