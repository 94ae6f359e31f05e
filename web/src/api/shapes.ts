/**
 * Shapes of calls, read from what the server says of its routes: a route that is gone, or whose data or body
 * changed, fails the type check where it is used.
 */
import type { paths } from './generated/openapi'

type Base = '/ebike/v3/backend'
type Tail<Path> = Path extends `${Base}${infer Rest}` ? Rest : never

/** A route of the main host, without its base. */
export type Route = Tail<keyof paths>
type Method = 'get' | 'post' | 'put' | 'delete'
type Operation<R extends Route, M extends Method> = paths[`${Base}${R}`][M]

/** The server writes every field, `null` where there is nothing; its document calls those optional. */
type Written<T> = T extends readonly (infer Element)[]
  ? Written<Element>[]
  : T extends object
    ? { [Name in keyof T]-?: Written<Exclude<T[Name], undefined>> }
    : T

/** What stands in an envelope; a refusal, which the client turns into an error, holds nothing. */
type Content<Envelope> = Envelope extends { data: infer Data } ? Written<Data> : never

/** What a call answers, out of its envelope. */
export type DataOf<R extends Route, M extends Method = 'get'> =
  Operation<R, M> extends { responses: { 200: { content: { 'application/json': infer Envelope } } } } ? Content<Envelope> : never

/** What a call is sent. */
export type BodyOf<R extends Route, M extends Method = 'post'> =
  Operation<R, M> extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never
