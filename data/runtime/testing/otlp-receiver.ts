import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root span. */
  readonly parentId: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly hasFailed: boolean;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The bodies of all requests as bytes, so that a test can search them for data that must not be sent. */
  readonly bodies: readonly Buffer[];
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  close(): Promise<void>;
}

type Field = number | bigint | Buffer;

/** The fields of a protobuf message by number. Varints and fixed 64-bit numbers are bigints. */
function fieldsOf(message: Buffer): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[offset++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (offset < message.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    let value: Field;
    switch (tag & 7) {
      case 0:
        value = varint();
        break;
      case 1:
        value = message.readBigUInt64LE(offset);
        offset += 8;
        break;
      case 2: {
        const length = Number(varint());
        value = message.subarray(offset, offset + length);
        offset += length;
        break;
      }
      case 5:
        value = message.readUInt32LE(offset);
        offset += 4;
        break;
      default:
        throw new RangeError('The body is not protobuf.');
    }
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const buffersOf = (message: Map<number, Field[]>, field: number): readonly Buffer[] =>
  (message.get(field) ?? []).filter((value) => Buffer.isBuffer(value));
const textOf = (message: Map<number, Field[]>, field: number, encoding: BufferEncoding = 'utf8') =>
  buffersOf(message, field)[0]?.toString(encoding) ?? '';

/** Attributes: `KeyValue` messages with a value that is a string (1), a boolean (2) or an integer (3). */
function attributesOf(message: Map<number, Field[]>, field: number): ReceivedSpan['attributes'] {
  const pairs = buffersOf(message, field).map((pair) => {
    const entry = fieldsOf(pair);
    const value = fieldsOf(buffersOf(entry, 2)[0] ?? Buffer.alloc(0));
    const [booleanField] = value.get(2) ?? [];
    const [integerField] = value.get(3) ?? [];
    const attributeValue =
      booleanField !== undefined
        ? booleanField === 1n
        : integerField !== undefined
          ? Number(integerField)
          : textOf(value, 1);
    return [textOf(entry, 1), attributeValue] as const;
  });
  return Object.fromEntries(pairs);
}

function spansIn(body: Buffer): readonly ReceivedSpan[] {
  return buffersOf(fieldsOf(body), 1).flatMap((resourceBytes) => {
    const resource = fieldsOf(resourceBytes);
    const resourceAttributes = attributesOf(fieldsOf(buffersOf(resource, 1)[0] ?? Buffer.alloc(0)), 1);
    return buffersOf(resource, 2).flatMap((scopeBytes) =>
      buffersOf(fieldsOf(scopeBytes), 2).map((spanBytes): ReceivedSpan => {
        const span = fieldsOf(spanBytes);
        const status = fieldsOf(buffersOf(span, 15)[0] ?? Buffer.alloc(0));
        return {
          service: String(resourceAttributes['service.name']),
          name: textOf(span, 5),
          traceId: textOf(span, 1, 'hex'),
          spanId: textOf(span, 2, 'hex'),
          parentId: textOf(span, 4, 'hex'),
          attributes: attributesOf(span, 9),
          hasFailed: status.get(3)?.[0] === 2n,
        };
      }),
    );
  });
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    bodies.push(body);
    headers.push(request.headers);
    spans.push(...spansIn(body));
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    headers,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
