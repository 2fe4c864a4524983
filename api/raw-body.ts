import express, { type RequestHandler } from 'express';
import { JSON_BODY_LIMIT, withNamedCauses } from './json-body.ts';

/** Reads the very bytes of a body into `request.body`, as many as JSON may have: for what is signed as it was sent. */
export function rawBody(): RequestHandler {
  return withNamedCauses(express.raw({ limit: JSON_BODY_LIMIT, type: () => true }));
}
