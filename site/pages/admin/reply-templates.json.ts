import { getCollection } from 'astro:content';
import type { APIRoute } from 'astro';
import type { ReplyTemplate } from '../../islands/admin-conversation/conversation-calls.ts';

export const GET: APIRoute = async () => {
  const entries = (await getCollection('replies')).toSorted((a, b) => a.data.order - b.data.order);
  const templates = entries.map(
    ({ id, data: { title, asks, kinds, subject, text } }): ReplyTemplate => ({
      id,
      title,
      asks,
      kinds: kinds ?? null,
      subject,
      text,
    }),
  );
  return Response.json(templates);
};
