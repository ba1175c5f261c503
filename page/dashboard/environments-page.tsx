import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { mayDo, useDashboard } from './context.ts';
import { type ProjectTree, useTree } from './environments.ts';
import { type Kind, NewPlace, type Place, RemovePlace } from './environments-dialogs.tsx';
import { Badge, ListPage } from './parts.tsx';
import { hrefOf, Link } from './route.tsx';
import { TEXT } from './text.ts';

type Asked = { kind: Kind; parent: Place | null } | { remove: Place };

/** Projects with their apps, and these with their environments. */
export function EnvironmentsPage() {
  const { person } = useDashboard();
  const [asked, setAsked] = useState<Asked | null>(null);
  const tree = useTree();
  const dialog = { onDone: tree.reload, onClose: () => setAsked(null) };
  const addProject = mayDo(person, 'project', 'create_project') && (
    <Button kind="main" onClick={() => setAsked({ kind: 'project', parent: null })}>
      {TEXT.environments.add.project}
    </Button>
  );
  return (
    <>
      <ListPage title={TEXT.pages.environments} texts={TEXT.environments} list={tree} button={addProject}>
        {(projects) => projects.map((each) => <ProjectCard key={each.project.id} tree={each} onAsk={setAsked} />)}
      </ListPage>
      {asked !== null && 'kind' in asked && <NewPlace {...asked} {...dialog} />}
      {asked !== null && 'remove' in asked && <RemovePlace place={asked.remove} {...dialog} />}
    </>
  );
}

function ProjectCard({ tree: { project, apps }, onAsk }: { tree: ProjectTree; onAsk: (asked: Asked) => void }) {
  const place: Place = { kind: 'project', id: project.id, slug: project.slug };
  return (
    <section class="card">
      <PlaceHeader place={place} name={project.name} within="app" onAsk={onAsk}>
        <h2>{project.slug}</h2>
      </PlaceHeader>
      {apps.length === 0 && <p class="note">{TEXT.environments.noApps}</p>}
      {apps.map(({ app, environments }) => (
        <div key={app.id} class="branch stack">
          <PlaceHeader
            place={{ kind: 'app', id: app.id, slug: app.slug }}
            name={app.name}
            within="environment"
            onAsk={onAsk}
          >
            <h3>{app.slug}</h3>
          </PlaceHeader>
          {environments.length === 0 && <p class="note">{TEXT.environments.noEnvironments}</p>}
          {environments.map(({ id, slug, name, currentDeploymentId }) => (
            <div key={id} class="branch">
              <PlaceHeader place={{ kind: 'environment', id, slug }} name={name} onAsk={onAsk}>
                <Link href={hrefOf(['environments', id])}>{slug}</Link>{' '}
                <Badge tone={currentDeploymentId === undefined ? 'warn' : 'good'}>
                  {currentDeploymentId === undefined ? TEXT.environments.notServing : TEXT.environments.serving}
                </Badge>
              </PlaceHeader>
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}

interface PlaceHeaderProps {
  place: Place;
  name: string | undefined;
  /** The kind that can be added to it. */
  within?: 'app' | 'environment';
  onAsk: (asked: Asked) => void;
  children: ComponentChildren;
}

/** A thing of the tree, with what can be done to it. */
function PlaceHeader({ place, name, within, onAsk, children }: PlaceHeaderProps) {
  const { person } = useDashboard();
  const { kind, slug } = place;
  return (
    <header class="bar">
      <div class="actions">
        <span class="note">{TEXT.environments.kinds[kind]}</span>
        {children}
        {name && <bdi class="note">{name}</bdi>}
      </div>
      <div class="actions">
        {within && mayDo(person, within, `create_${within}`) && (
          <Button isSmall onClick={() => onAsk({ kind: within, parent: place })}>
            {TEXT.environments.add[within]} <span class="sr">{slug}</span>
          </Button>
        )}
        {mayDo(person, kind, `delete_${kind}`) && (
          <Button kind="danger" isSmall onClick={() => onAsk({ remove: place })}>
            {TEXT.environments.remove} <span class="sr">{slug}</span>
          </Button>
        )}
      </div>
    </header>
  );
}
