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

type InFlight = ReturnType<typeof deliveriesInFlight>;

function mostOf(inFlight: InFlight, webhookId: string): number {
  const room = inFlight.room(250);
  return room.inFlight.find((each) => each.webhookId === webhookId)?.most ?? room.perWebhook;
}

function attempt(inFlight: InFlight, webhookId: string, load: Load | null, times = 1): void {
  for (let i = 0; i < times; i++) {
    inFlight.add(aDelivery(webhookId));
    inFlight.answered(aDelivery(webhookId), load);
    inFlight.remove();
  }
}

test('a receiver of which nothing is known may have as little in flight as a dead one; what it has shown it can take is kept', () => {
  const inFlight = deliveriesInFlight(500);
  attempt(inFlight, 'wh_quick', 'answered', 60);
  attempt(inFlight, 'wh_dead', 'overloaded', 60);
  expect(inFlight.size()).toBe(0);
  expect(['wh_quick', 'wh_dead', 'wh_new'].map((id) => mostOf(inFlight, id))).toEqual([61, 1, 1]);
});

test('any number of others may make a receiver forgotten: it begins anew, and is never taken for a quick one', () => {
  const inFlight = deliveriesInFlight(500);
  attempt(inFlight, 'wh_quick', 'answered', 5);
  attempt(inFlight, 'wh_dead', 'overloaded', 5);
  for (let i = 0; i < 2000; i++) attempt(inFlight, `wh_${i}`, 'answered');
  expect([mostOf(inFlight, 'wh_quick'), mostOf(inFlight, 'wh_dead')]).toEqual([1, 1]);
});

test('a receiver is slow while its last attempt got no answer; what says nothing about it changes nothing', () => {
  const inFlight = deliveriesInFlight(500);
  const isSlow = () => inFlight.isSlow('wh_1');
  attempt(inFlight, 'wh_1', null);
  expect(isSlow()).toBe(false);
  attempt(inFlight, 'wh_1', 'overloaded');
  attempt(inFlight, 'wh_1', null);
  expect(isSlow()).toBe(true);
  inFlight.add(aDelivery('wh_1'));
  expect(isSlow()).toBe(true);
  inFlight.answered(aDelivery('wh_1'), 'answered');
  expect(isSlow()).toBe(false);
});

test('a delivery holds a place of its receiver until that has answered, and one of all until its result is saved', () => {
  const inFlight = deliveriesInFlight(4);
  for (let i = 0; i < 2; i++) inFlight.add(aDelivery('wh_1'));
  inFlight.answered(aDelivery('wh_1'), null);
  expect(inFlight.room(250)).toMatchObject({ limit: 2, inFlight: [{ webhookId: 'wh_1', count: 1 }] });
  inFlight.remove();
  expect(inFlight.room(250).limit).toBe(3);
});

test('where all shared places are taken, only workspaces with nothing in flight may have one', () => {
  const inFlight = deliveriesInFlight(10);
  attempt(inFlight, 'wh_1', 'answered', 20);
  for (let i = 0; i < 9; i++) inFlight.add(aDelivery('wh_1'));
  expect(inFlight.room(250)).toMatchObject({ limit: 1, beyondFirst: 0, perWorkspace: 1, perWebhook: 1 });
  inFlight.answered(aDelivery('wh_1'), 'answered');
  inFlight.remove();
  expect(inFlight.room(250)).toMatchObject({ limit: 2, beyondFirst: 1 });
});

test('where all places are taken nothing is claimed', () => {
  const inFlight = deliveriesInFlight(1);
  inFlight.add(aDelivery('wh_1'));
  expect(inFlight.room(250).limit).toBe(0);
});
