import { z } from 'zod';
import { type Call, errorBody } from '../contract/call.ts';
import { cardSummary } from '../contract/cards.ts';
import { transactionRow } from '../contract/metrics.ts';
import { openStake } from '../contract/position.ts';
import * as provenance from '../contract/provenance.ts';
import { activeStaker, endedStake, enhancedStaker, programAlarm } from '../contract/stakes.ts';
import { webhookEvent } from '../contract/webhook-event.ts';

/** Schemas that several calls share, by their names in the document. */
const SHARED_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  Error: errorBody,
  Moment: provenance.moment,
  DecimalText: provenance.decimalText,
  Address: provenance.address,
  Signature: provenance.signature,
  ReferenceNumber: provenance.referenceNumber,
  FigureState: provenance.provenance.state,
  TransactionRow: transactionRow,
  ActiveStaker: activeStaker,
  EndedStake: endedStake,
  EnhancedStaker: enhancedStaker,
  ProgramAlarm: programAlarm,
  OpenStake: openStake,
  Card: cardSummary,
  WebhookEvent: webhookEvent,
};

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** `/api/vault/live-balance` → `getVaultLiveBalance`. */
export function operationId({ method, path }: Pick<Call, 'method' | 'path'>): string {
  const words = path.split(/[^a-z0-9]+/i).slice(2);
  return method.toLowerCase() + words.map(capitalize).join('');
}

/**
 * The names of the shared schemas and of the calls' JSON bodies. A body that several calls share is named after the first of
 * them.
 */
function nameSchemas(calls: readonly Call[]): ReadonlyMap<z.ZodType, string> {
  const names = new Map(Object.entries(SHARED_SCHEMAS).map(([name, schema]) => [schema, name]));
  for (const call of calls) {
    const name = capitalize(operationId(call));
    const { body, files, response, mediaType } = call;
    if (body && !files && !names.has(body)) names.set(body, `${name}Request`);
    if (!mediaType && !names.has(response)) names.set(response, `${name}Response`);
  }
  return names;
}

/**
 * Calls `build` while these schemas have names, such as `GetVaultLiveBalanceResponse`. The names are removed afterwards,
 * because they are in zod's global registry, which also affects other documents. The schemas are not passed as
 * `components.schemas`, because zod-openapi would then write a nested schema twice, as input and as output.
 */
export function withNamedSchemas<Built>(calls: readonly Call[], build: () => Built): Built {
  const names = nameSchemas(calls);
  const previousMetadata = [...names.keys()].map((schema) => [schema, z.globalRegistry.get(schema)] as const);
  for (const [schema, id] of names) z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
  try {
    return build();
  } finally {
    for (const [schema, meta] of previousMetadata) {
      z.globalRegistry.remove(schema);
      if (meta) z.globalRegistry.add(schema, meta);
    }
  }
}
