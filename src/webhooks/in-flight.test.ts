import { expect, test } from 'vitest';
import type { DueDelivery } from '../store/contract/store.ts';
import { deliveriesInFlight } from './in-flight.ts';
import type { Load } from './policy/concurrency.ts';

const about = {
  queue: 'dom_1',
  lease: 1,
  url: 'https://hooks.example/',
  secrets: [],
  eventId: 'evt_1',
  domainId: 'dom_1',
};

function aDelivery(webhookId: string, workspaceId = 'ws_1'): DueDelivery {
  const times = { happenedAt: 0, waitingSince: 0, dueAt: 0, attempts: 0 };
  return { ...about, ...times, deliveryId: 'dlv_1', webhookId, workspaceId, type: 'domain.created', message: null };
}

function mostOf(inFlight: ReturnType<typeof deliveriesInFlight>, webhookId: string): number | undefined {
  return inFlight.room(250).inFlight.find((each) => each.webhookId === webhookId)?.most;
}

test('what a receiver has shown it can take is kept while nothing of it is in flight', () => {
  const inFlight = deliveriesInFlight(500);
  for (let i = 0; i < 60; i++) {
    for (const webhookId of ['wh_quick', 'wh_dead']) inFlight.add(aDelivery(webhookId));
    inFlight.answered(aDelivery('wh_quick'), 'answered');
    inFlight.answered(aDelivery('wh_dead'), 'overloaded');
    for (let each = 0; each < 2; each++) inFlight.remove();
  }
  expect(inFlight.size()).toBe(0);
  expect(mostOf(inFlight, 'wh_quick')).toBe(70);
  expect(mostOf(inFlight, 'wh_dead')).toBe(1);
});

function answer(inFlight: ReturnType<typeof deliveriesInFlight>, webhookId: string, load: Load, times: number): void {
  for (let i = 0; i < times; i++) {
    inFlight.add(aDelivery(webhookId));
    inFlight.answered(aDelivery(webhookId), load);
    inFlight.remove();
  }
}

test('that a receiver is dead is not forgotten over any number of others that answer', () => {
  const inFlight = deliveriesInFlight(500);
  answer(inFlight, 'wh_dead', 'overloaded', 5);
  for (let i = 0; i < 2000; i++) answer(inFlight, `wh_${i}`, 'answered', 2);
  expect(mostOf(inFlight, 'wh_dead')).toBe(1);
  expect(inFlight.isSlow('wh_dead')).toBe(true);
  expect(inFlight.isSlow('wh_1999')).toBe(false);
});

test('nor, while it has a delivery in flight, over any number of dead ones', () => {
  const inFlight = deliveriesInFlight(500);
  answer(inFlight, 'wh_dead', 'overloaded', 5);
  inFlight.add(aDelivery('wh_dead'));
  for (let i = 0; i < 2000; i++) answer(inFlight, `wh_${i}`, 'overloaded', 5);
  expect(mostOf(inFlight, 'wh_dead')).toBe(1);
});

test('a delivery holds a place of its receiver until that has answered, and one of all until its result is saved', () => {
  const inFlight = deliveriesInFlight(4);
  for (let i = 0; i < 2; i++) inFlight.add(aDelivery('wh_1'));
  inFlight.answered(aDelivery('wh_1'), null);
  expect(inFlight.room(250)).toMatchObject({ limit: 1, perWorkspace: 1, inFlight: [{ webhookId: 'wh_1', count: 1 }] });
  inFlight.remove();
  expect(inFlight.room(250).limit).toBe(2);
});

test('where all places are taken nothing is claimed', () => {
  const inFlight = deliveriesInFlight(1);
  inFlight.add(aDelivery('wh_1'));
  expect(inFlight.room(250).limit).toBe(0);
});
