/** One event of a stream of server-sent events. */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
}

function eventOf(block: string): SentEvent | null {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'event' && value !== undefined) event = value;
    if (name === 'data' && value !== undefined) data.push(value);
  }
  return data.length === 0 ? null : { event, data: data.join('\n') };
}

/**
 * The events of an answer as they come, wherever its bytes are cut. For a stream that ends by itself and whose refusal
 * is of interest: the browser's EventSource tells no status, and asks again.
 */
export async function* eventsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<SentEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let isEnded = false;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (rest + decoder.decode(read.value, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event) yield event;
      }
    }
    isEnded = true;
  } finally {
    // Whoever stops reading lets the connection go; one that broke has said so already.
    if (!isEnded) await reader.cancel().catch(() => {});
  }
}
