interface ExtendableEvent {
  waitUntil(task: Promise<unknown>): void;
}
interface PushMessage extends ExtendableEvent {
  /** The message that the API sends (api/delivery/push/push-sender.ts). */
  readonly data: { json(): { readonly title: string; readonly body: string; readonly path: string } } | null;
}
interface NotificationClick extends ExtendableEvent {
  readonly notification: Pick<Notification, 'close' | 'data'>;
}

/** The parts of a service worker's global scope that are needed for push messages. */
export interface PushScope {
  readonly location: { readonly origin: string };
  readonly registration: {
    showNotification(title: string, options: NotificationOptions): Promise<void>;
  };
  readonly clients: { openWindow(url: string): Promise<unknown> };
  addEventListener(type: 'push', listener: (event: PushMessage) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: NotificationClick) => void): void;
}

/** Shows push messages, even while no page is open. A click opens the message's page, if the page is on this site. */
export function showPushMessages(scope: PushScope): void {
  scope.addEventListener('push', (event) => {
    const message = event.data?.json();
    if (!message) return;
    const { title, body, path } = message;
    event.waitUntil(scope.registration.showNotification(title, { body, icon: '/favicon.svg', data: path }));
  });
  scope.addEventListener('notificationclick', (event) => {
    event.notification.close();
    const { origin } = scope.location;
    const url = new URL(String(event.notification.data), origin);
    if (url.origin === origin) event.waitUntil(scope.clients.openWindow(url.href));
  });
}
