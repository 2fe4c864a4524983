import { Agent, request } from 'node:http';
import type { OpenedBook } from '../../api/chat/chat-book.ts';
import { startTestPortal } from '../../api/testing/test-portal.ts';

/** Milliseconds of one call on a connection that stays open. */
function callTime(port: number, agent: Agent, message: string): Promise<number> {
  const body = JSON.stringify({ message });
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const sent = request({ port, agent, method: 'POST', path: '/api/chat/duckling', headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(performance.now() - begun));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Asks a portal each question, one after the other. @returns milliseconds: the middle one, and the 99th of a hundred */
export async function chatCallTimes(
  book: OpenedBook,
  messages: readonly string[],
): Promise<{ readonly median: number; readonly worst: number }> {
  const most = Number.MAX_SAFE_INTEGER;
  const portal = await startTestPortal({
    openChatBook: async () => book,
    questionsPerMinute: most,
    callsPerMinute: most,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (const message of messages) await callTime(portal.port, agent, message);
    const times: number[] = [];
    for (const message of messages) times.push(await callTime(portal.port, agent, message));
    times.sort((one, other) => one - other);
    const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
    return { median: at(0.5), worst: at(0.99) };
  } finally {
    agent.destroy();
    await portal.close();
  }
}
