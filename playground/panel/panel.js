// The page of the DNS panel. Values of records are untrusted: they are shown as text, never as markup.

/**
 * @import { PanelState } from '../control.ts'
 * @typedef {{ name: string, type: string, value: string }} PanelRecord
 */

const POLL_MS = 1000;
const QUERIES = 15;

const zoneSelect = select('zone');
const typeSelect = select('type');
const nameInput = input('name');
const valueInput = input('value');
const ttlInput = input('ttl');
const faultNameInput = input('fault-name');

/** @type {PanelState} */
let state = { dns: '', zones: [], records: [], faults: [], queries: [] };
let zone = new URLSearchParams(location.search).get('zone') ?? '';
/** The record that the form edits; null: it adds one. @type {PanelRecord | null} */
let edited = null;
/**
 * The content that each part of the page shows now. A part is not redrawn for the same content, so that focus and
 * selection stay.
 * @type {Map<string, string>}
 */
const shown = new Map();

/** @param {string} id */
function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found;
}

/** @param {string} id */
function input(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/** @param {string} id */
function select(id) {
  return /** @type {HTMLSelectElement} */ (byId(id));
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * A button whose label names the action and its object.
 * @param {string} text
 * @param {string} what
 * @param {() => void} onClick
 */
function button(text, what, onClick) {
  const made = element('button', { type: 'button', 'aria-label': `${text} ${what}` }, text);
  made.addEventListener('click', onClick);
  return made;
}

/**
 * Sends a command. Rejects with the simulator's message.
 * @param {string} command
 * @param {object} body
 */
async function send(command, body = {}) {
  const headers = { authorization: `Bearer ${location.hash.slice(1)}`, 'content-type': 'application/json' };
  const response = await fetch(command, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => null);
  if (response === null) throw new Error('The playground does not respond. Start it with "npm start".');
  const result = await response.json();
  if (response.ok) return result;
  if (response.status === 401) throw new Error('Open the panel with the whole link that "npm start" prints.');
  throw new Error(result.message);
}

/** Shows a problem, or hides it. @param {string} id @param {string} [message] */
function showProblem(id, message = '') {
  const place = byId(id);
  place.textContent = message;
  place.hidden = message === '';
}

/**
 * Sends a change, and shows the outcome in a section: what was done, or the problem.
 * @param {'zone' | 'record' | 'fault'} section
 * @param {string} command
 * @param {object} body
 * @param {string} done
 */
async function change(section, command, body, done) {
  for (const place of document.querySelectorAll('[role=status]')) place.textContent = '';
  try {
    await send(command, body);
  } catch (error) {
    showProblem(`${section}-problem`, error instanceof Error ? error.message : String(error));
    return false;
  }
  showProblem(`${section}-problem`);
  byId(`${section}-done`).textContent = done;
  await refresh();
  return true;
}

// Names

/**
 * The panel appends the zone to whatever is typed, as most providers do; nothing is corrected. @param {string} typed
 */
function fullName(typed) {
  return typed === '' || typed === '@' ? zone : `${typed}.${zone}`;
}

/** @param {string} name */
function relativeName(name) {
  return name === zone ? '@' : name.slice(0, -zone.length - 1);
}

/** @param {string} name */
function zoneOf(name) {
  const held = state.zones.filter((each) => name === each || name.endsWith(`.${each}`));
  return held.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
}

function showFullNames() {
  byId('full').textContent = fullName(nameInput.value);
  byId('fault-full').textContent = fullName(faultNameInput.value);
}

// The state of the simulator

async function refresh() {
  try {
    state = await send('panel');
    showProblem('offline');
  } catch (error) {
    showProblem('offline', error instanceof Error ? error.message : String(error));
    return;
  }
  if (zone === '') zone = state.zones[0] ?? 'example.com';
  if (!state.zones.includes(zone)) state.zones.push(zone);
  show();
}

function show() {
  const here = (/** @type {{ name: string }} */ { name }) => zoneOf(name) === zone;
  byId('nameserver').textContent = state.dns;
  byId('records-zone').textContent = zone;
  showFullNames();
  part('zones', [zone, state.zones], showZones);
  const records = state.records.filter(here);
  part('records', [zone, records], () => showRecords(records));
  const faults = state.faults.filter((each) => here(each) && each.fault !== null);
  part('faults', [zone, faults], () => showFaults(faults));
  const queries = state.queries.filter(here).slice(-QUERIES);
  part('queries', [zone, queries], () => showQueries(queries));
}

/**
 * Shows a part of the page again if what it shows has changed. @param {string} name @param {unknown} content @param {()
 * => void} draw
 */
function part(name, content, draw) {
  const text = JSON.stringify(content);
  if (shown.get(name) === text) return;
  shown.set(name, text);
  draw();
}

function showZones() {
  zoneSelect.replaceChildren(...state.zones.map((each) => element('option', {}, each)));
  zoneSelect.value = zone;
}

/** @param {PanelState['records']} records */
function showRecords(records) {
  const rows = records.flatMap(({ name, type, values, ttl }) =>
    values.map((value) => recordRow({ name, type, value }, ttl)),
  );
  byId('records').hidden = rows.length === 0;
  byId('no-records').hidden = rows.length > 0;
  const focused = document.activeElement?.getAttribute('aria-label');
  bodyOf('records').replaceChildren(...rows);
  const again = [...bodyOf('records').querySelectorAll('button')].find(
    (each) => each.getAttribute('aria-label') === focused,
  );
  again?.focus();
}

/** @param {PanelRecord} record @param {number} ttl */
function recordRow(record, ttl) {
  const { name, type, value } = record;
  const what = `${type} ${name} ${value}`;
  const actions = element(
    'td',
    { class: 'actions' },
    button('Edit', what, () => edit(record, ttl)),
    button('Remove', what, () => remove(record)),
  );
  const full = element('small', {}, name);
  return element(
    'tr',
    {},
    element('td', {}, element('span', { class: 'type' }, type)),
    element('td', {}, element('code', {}, relativeName(name)), full),
    element('td', { class: 'value' }, element('code', {}, value)),
    element('td', { class: 'seconds' }, String(ttl)),
    actions,
  );
}

/** @param {PanelState['faults']} faults */
function showFaults(faults) {
  const items = faults.map(({ name, fault }) => {
    const said = [...select('fault').options].find(({ value }) => value === fault)?.text ?? fault;
    const repair = button('Repair', name, () => {
      change('fault', 'fail', { name, fault: 'none' }, `Queries for ${name} work again.`);
      byId('faults-title').focus();
    });
    return element('li', {}, element('span', {}, 'Queries for ', element('code', {}, name), ` get ${said}.`), repair);
  });
  byId('faults').replaceChildren(...items);
}

/** @param {PanelState['queries']} queries */
function showQueries(queries) {
  const rows = queries
    .toReversed()
    .map(({ at, name, type, rcode, transport }) =>
      element(
        'tr',
        rcode === 'NOERROR' || rcode === 'NXDOMAIN' ? {} : { class: 'failed' },
        ...[new Date(at).toLocaleTimeString(), name, type, rcode, transport.toUpperCase()].map((text) =>
          element('td', {}, text),
        ),
      ),
    );
  byId('queries').hidden = rows.length === 0;
  byId('no-queries').hidden = rows.length > 0;
  bodyOf('queries').replaceChildren(...rows);
}

/** @param {string} id */
function bodyOf(id) {
  const body = byId(id).querySelector('tbody');
  if (body === null) throw new Error(`no table ${id}`);
  return body;
}

// Actions of the visitor

/** @param {PanelRecord} record @param {number} ttl */
function edit(record, ttl) {
  showForm(record);
  typeSelect.value = record.type;
  nameInput.value = relativeName(record.name);
  valueInput.value = record.value;
  ttlInput.value = String(ttl);
  showFullNames();
  nameInput.focus();
}

/** @param {PanelRecord | null} record */
function showForm(record) {
  edited = record;
  byId('form-title').textContent = record === null ? 'Add a record' : 'Edit the record';
  byId('save').textContent = record === null ? 'Add record' : 'Save';
  byId('cancel').hidden = record === null;
  showProblem('record-problem');
  if (record !== null) return;
  nameInput.value = '';
  valueInput.value = '';
  ttlInput.value = '60';
  showFullNames();
}

/** @param {PanelRecord} record */
async function remove(record) {
  if (edited !== null) showForm(null);
  await change('record', 'removeRecord', record, `Removed ${record.type} ${record.name}.`);
  byId('records-title').focus();
}

byId('record-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (valueInput.value === '') return showProblem('record-problem', 'A record needs a value.');
  const record = {
    name: fullName(nameInput.value),
    type: typeSelect.value,
    value: valueInput.value,
    ttl: ttlInput.value === '' ? undefined : Number(ttlInput.value),
  };
  const done = `${edited === null ? 'Added' : 'Saved'} ${record.type} ${record.name}.`;
  const fields = /** @type {HTMLFieldSetElement} */ (byId('record-fields'));
  // Disabled, since text typed meanwhile would be lost.
  fields.disabled = true;
  const isDone =
    edited === null
      ? await change('record', 'addRecord', record, done)
      : await change('record', 'editRecord', { from: edited, to: record }, done);
  fields.disabled = false;
  if (isDone) showForm(null);
  nameInput.focus();
});

byId('cancel').addEventListener('click', () => {
  showForm(null);
  nameInput.focus();
});

byId('fault-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const name = fullName(faultNameInput.value);
  const fault = select('fault').value;
  if (!(await change('fault', 'fail', { name, fault }, `Queries for ${name} fail now.`))) return;
  faultNameInput.value = '';
  showFullNames();
});

byId('zone-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const apex = input('new-zone').value.toLowerCase();
  if (!(await change('zone', 'addZone', { apex }, `Added the zone ${apex}.`))) return;
  input('new-zone').value = '';
  choose(apex);
  nameInput.focus();
});

zoneSelect.addEventListener('change', () => choose(zoneSelect.value));
nameInput.addEventListener('input', showFullNames);
faultNameInput.addEventListener('input', showFullNames);

/** @param {string} apex */
function choose(apex) {
  zone = apex;
  history.replaceState(null, '', `?zone=${encodeURIComponent(zone)}${location.hash}`);
  showForm(null);
  show();
}

async function poll() {
  if (!document.hidden) await refresh();
  setTimeout(poll, POLL_MS);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refresh();
});
window.addEventListener('hashchange', refresh);
poll();
