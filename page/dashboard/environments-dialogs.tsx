import { useState } from 'preact/hooks';
import { NameplateError } from '../../client/client.ts';
import { ActionButton } from './action-button.tsx';
import { CallDialog } from './call-dialog.tsx';
import { useDashboard } from './context.ts';
import { TextField } from './fields.tsx';
import { TEXT } from './text.ts';
import { useToast } from './toast.tsx';

export type Kind = 'project' | 'app' | 'environment';

/** Something of the tree, with what it is in. */
export interface Place {
  kind: Kind;
  id: string;
  slug: string;
}

interface NewPlaceProps {
  kind: Kind;
  parent: Place | null;
  onDone: () => void;
  onClose: () => void;
}

const CREATE = {
  project: 'projects.createProject',
  app: 'apps.createApp',
  environment: 'environments.createEnvironment',
};
const DELETE = {
  project: 'projects.deleteProject',
  app: 'apps.deleteApp',
  environment: 'environments.deleteEnvironment',
};

export function NewPlace({ kind, parent, onDone, onClose }: NewPlaceProps) {
  const [slug, setSlug] = useState('');
  const [name, setName] = useState('');
  const title =
    kind === 'project' || parent === null ? TEXT.environments.add[kind] : TEXT.environments.addIn(kind, parent.slug);
  return (
    <CallDialog
      title={title}
      label={TEXT.environments.add[kind]}
      call={{
        operation: CREATE[kind],
        input: { ...(parent && { [parent.kind]: parent.id }), slug, ...(name !== '' && { name }) },
        command: [
          ...[`${kind}s`, 'create', slug],
          ...(parent ? [`--${parent.kind}`, parent.id] : []),
          ...(name === '' ? [] : ['--name', name]),
        ],
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <TextField
        label={TEXT.environments.slug}
        hint={TEXT.environments.slugHint}
        required
        value={slug}
        onChange={setSlug}
      />
      <TextField label={TEXT.environments.name} hint={TEXT.environments.nameHint} value={name} onChange={setName} />
    </CallDialog>
  );
}

/** Asks once. An environment of which deleted domains can still be restored is not deleted at the first time. */
export function RemovePlace({ place, onDone, onClose }: { place: Place; onDone: () => void; onClose: () => void }) {
  const { client } = useDashboard();
  const toast = useToast();
  const { kind, id, slug } = place;
  const [isRestorable, setRestorable] = useState(false);
  const operation = DELETE[kind];
  const note = (problem: unknown) => {
    if (problem instanceof NameplateError && problem.code === 'application/domains_restorable') setRestorable(true);
  };
  const removeAnyway = async () => {
    await client.call(operation, { [kind]: id });
    toast({ text: TEXT.environments.removed(slug) });
    onClose();
    onDone();
  };
  return (
    <CallDialog
      title={TEXT.environments.removeTitle[kind](slug)}
      text={TEXT.environments.removeText[kind]}
      label={TEXT.environments.remove}
      kind="danger"
      call={{
        operation,
        input: { [kind]: id, ...(kind === 'environment' && { refuseRestorable: true }) },
        command: [`${kind}s`, 'delete', id],
      }}
      done={() => TEXT.environments.removed(slug)}
      onDone={onDone}
      onError={note}
      onClose={onClose}
    >
      {isRestorable && (
        <p>
          {TEXT.environments.anywayText}{' '}
          <ActionButton kind="danger" isSmall run={removeAnyway}>
            {TEXT.environments.anyway}
          </ActionButton>
        </p>
      )}
    </CallDialog>
  );
}
