import { adminChat } from '../../data/contract/admin-chat.ts';
import type { ResponseOf } from '../../data/contract/call.ts';
import type { ChatStore } from '../../data/store/chat-port.ts';
import { adminRoute } from '../admin/admin-route.ts';
import type { AdmitAdmin } from '../admin/signed-in-admin.ts';
import type { ApiRoute } from '../known-calls.ts';

const QUESTIONS_TOLD = 100;
const VERDICT_DAYS = 30;
const DAY_MS = 86_400_000;

const iso = (at: number) => new Date(at).toISOString();

/** `GET /api/admin/chat`: what the team may learn from the assistant's day. */
export function adminChatRoute(options: {
  readonly store: Pick<ChatStore, 'unanswered' | 'verdicts'>;
  readonly admit: AdmitAdmin;
  readonly now: () => number;
}): ApiRoute {
  const { store, admit, now } = options;
  return adminRoute(adminChat, admit, async (_admin, _request, response) => {
    const unanswered = await store.unanswered(QUESTIONS_TOLD);
    const body: ResponseOf<typeof adminChat> = {
      unanswered: unanswered.map(({ firstAskedAt, lastAskedAt, ...question }) => ({
        ...question,
        firstAskedAt: iso(firstAskedAt),
        lastAskedAt: iso(lastAskedAt),
      })),
      verdicts: [...(await store.verdicts(now() - VERDICT_DAYS * DAY_MS))],
    };
    response.json(body);
  });
}
