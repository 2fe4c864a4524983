import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type PushScope, showPushMessages } from './push-messages.ts';

const ORIGIN = 'https://portal.example.com';
const MESSAGE = { title: 'BlackDuck', body: 'One of your locks ends on 20 June 2026.', path: '/my-position' };

const listeners = new Map<string, (event: never) => void>();
const showNotification = vi.fn(async () => {});
const openWindow = vi.fn(async () => null);
let tasks: Promise<unknown>[];

function send(type: string, event: object): void {
  const waitUntil = (task: Promise<unknown>) => void tasks.push(task);
  listeners.get(type)?.({ waitUntil, ...event } as never);
}
const click = (data: unknown) => {
  const close = vi.fn();
  send('notificationclick', { notification: { close, data } });
  expect(close).toHaveBeenCalledOnce();
};

beforeEach(() => {
  vi.clearAllMocks();
  tasks = [];
  showPushMessages({
    location: { origin: ORIGIN },
    registration: { showNotification },
    clients: { openWindow },
    addEventListener: (type: string, listener: (event: never) => void) => void listeners.set(type, listener),
  } as PushScope);
});

describe('a push message', () => {
  it('is shown before the worker may stop', () => {
    send('push', { data: { json: () => MESSAGE } });
    expect(showNotification).toHaveBeenCalledExactlyOnceWith(
      MESSAGE.title,
      expect.objectContaining({ body: MESSAGE.body, data: MESSAGE.path }),
    );
    expect(tasks).toHaveLength(1);
  });

  it('without content shows nothing', () => {
    send('push', { data: null });
    expect(showNotification).not.toHaveBeenCalled();
  });

  it('opens its page when it is clicked', () => {
    click(MESSAGE.path);
    expect(openWindow).toHaveBeenCalledExactlyOnceWith(`${ORIGIN}/my-position`);
    expect(tasks).toHaveLength(1);
  });

  it.each(['https://elsewhere.example/my-position', '//elsewhere.example', 'javascript:alert(1)'])(
    'opens no page of another site: %s',
    (path) => {
      click(path);
      expect(openWindow).not.toHaveBeenCalled();
    },
  );
});
