import type { WebhookEndpoint } from '../admin/admin-calls.ts';

/** The name by which the team recognizes an endpoint. */
export const hostOf = ({ url }: Pick<WebhookEndpoint, 'url'>): string => new URL(url).host;
