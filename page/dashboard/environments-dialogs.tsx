import { useState } from 'preact/hooks';
import { NameplateError } from '../../client/client.ts';
import { ActionButton } from './action-button.tsx';
import { CallDialog } from './call-dialog.tsx';
import { useDashboard } from './context.ts';
import { Field } from './parts.tsx';
import { TEXT } from './text.ts';

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
      <Field label={TEXT.environments.slug} hint={TEXT.environments.slugHint}>
        {(control) => (
          <input
            {...control}
            required
            autocomplete="off"
            value={slug}
            onInput={({ currentTarget }) => setSlug(currentTarget.value)}
          />
        )}
      </Field>
      <Field label={TEXT.environments.name} hint={TEXT.environments.nameHint}>
        {(control) => (
          <input
            {...control}
            autocomplete="off"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        )}
      </Field>
    </CallDialog>
  );
}

/** Asks once. An environment of which deleted domains can still be restored is not deleted at the first time. */
export function RemovePlace({ place, onDone, onClose }: { place: Place; onDone: () => void; onClose: () => void }) {
  const { client } = useDashboard();
  const { kind, id, slug } = place;
  const [isRestorable, setRestorable] = useState(false);
  const operation = DELETE[kind];
  const note = (problem: unknown) => {
    if (problem instanceof NameplateError && problem.code === 'application/domains_restorable') setRestorable(true);
  };
  return (
    <CallDialog
      title={`${TEXT.environments.removeTitle[kind]} ${slug}?`}
      label={TEXT.environments.remove}
      kind="danger"
      call={{
        operation,
        input: { [kind]: id, ...(kind === 'environment' && { refuseRestorable: true }) },
        command: [`${kind}s`, 'delete', id],
      }}
      onDone={onDone}
      onError={note}
      onClose={onClose}
    >
      <p>{TEXT.environments.removeText[kind]}</p>
      {isRestorable && (
        <p>
          {TEXT.environments.anywayText}{' '}
          <ActionButton kind="danger" isSmall run={() => client.call(operation, { [kind]: id }).then(onDone)}>
            {TEXT.environments.anyway}
          </ActionButton>
        </p>
      )}
    </CallDialog>
  );
}
