/**
 * Shapes of calls, read from what the server says of its routes: a route that is gone, or whose data, query or body
 * changed, fails the type check where it is used.
 */
import type { paths } from './generated/openapi'

type Base = '/ebike/v3/backend'
type Tail<Path> = Path extends `${Base}${infer Rest}` ? Rest : never

/** A route, of whichever host, without the base; names in braces stand for a part of the path. */
export type Route = Tail<keyof paths>
type Method = 'get' | 'post' | 'put' | 'delete'
type Operation<R extends Route, M extends Method> = paths[`${Base}${R}`][M]

/** Routes that take this method. */
export type RouteOf<M extends Method> = { [R in Route]: Operation<R, M> extends { responses: unknown } ? R : never }[Route]

/** What the document calls an object without saying of which fields. */
type Untold<T> = string extends keyof T ? ([T[keyof T]] extends [never] ? true : false) : false

/** The server writes every field, `null` where there is nothing; its document calls those optional. */
type Written<T> = T extends readonly (infer Element)[]
  ? Written<Element>[]
  : T extends object
    ? Untold<T> extends true
      ? unknown
      : { [Name in keyof T]-?: Written<Exclude<T[Name], undefined>> }
    : T

/** The same of what the server takes: what it calls optional may be left out. */
type Taken<T> = T extends readonly (infer Element)[]
  ? readonly Taken<Element>[]
  : T extends object
    ? Untold<T> extends true
      ? Readonly<Record<string, unknown>>
      : { [Name in keyof T]: Taken<T[Name]> }
    : T

/** What stands in an envelope, or an answer without one; a refusal, which the client turns into an error, holds nothing. */
type Content<Answer> = Answer extends { data: infer Data }
  ? Written<Data>
  : Answer extends { error: unknown } | { code: unknown; success: unknown }
    ? never
    : Answer extends { suc: unknown }
      ? undefined
      : Written<Answer>

/** What a call answers, out of its envelope. */
export type DataOf<R extends Route, M extends Method = 'get'> =
  Operation<R, M> extends { responses: { 200: { content: { 'application/json': infer Answer } } } } ? Content<Answer> : never

/** For calls that are sent nothing. */
type None = Readonly<Record<string, undefined>>

/** What a call is sent. */
export type BodyOf<R extends Route, M extends Method = 'post'> =
  Operation<R, M> extends { requestBody: { content: { 'application/json': infer Body } } } ? Taken<Body> : None

/** A value of a query; null and undefined are left out. */
export type QueryValue = string | number | boolean | null | undefined
export type Query = Readonly<Record<string, QueryValue>>

/** On its way every value is text: where text is asked for, a number may stand. */
type Asked<T> = T extends string ? (string extends T ? string | number : T) : T extends undefined ? null | undefined : T

/** What a call is asked with. */
export type QueryOf<R extends Route, M extends Method = 'get'> =
  Operation<R, M> extends { parameters: { query?: infer Parameters } }
    ? [NonNullable<Parameters>] extends [never]
      ? None
      : { readonly [Name in keyof NonNullable<Parameters>]: Asked<NonNullable<Parameters>[Name]> }
    : None

/** What stands for the names in braces of a route; never without any. */
export type PathOf<R extends Route, M extends Method> = Operation<R, M> extends { parameters: { path: infer Names extends Readonly<Record<string, string>> } } ? Names : never

/** The same without names in braces. */
export type PlainRouteOf<M extends Method> = { [R in RouteOf<M>]: [PathOf<R, M>] extends [never] ? R : never }[RouteOf<M>]

/** What follows the route in a call: `Sent` may be left out when nothing of it has to be said. */
export type Arguments<R extends Route, M extends Method, Sent, Options> =
  [PathOf<R, M>] extends [never]
    ? Partial<Sent> extends Sent
      ? [sent?: Sent, options?: Options]
      : [sent: Sent, options?: Options]
    : [sent: Sent, options: Options & { path: PathOf<R, M> }]

/** One page of a list of the main host. */
export interface Page<Row> {
  rows: Row[]
  /** Honest up to 10000; then `capped`. */
  count: number
  capped?: boolean
  /** The place behind the last row, where more follow. */
  place?: string | null
}

/** The same in the words of the financial host. */
export interface Records<Row> {
  records: Row[]
  total: number
}

/** Routes that answer pages of such rows. */
export type ListRoute<Row> = {
  [R in RouteOf<'get'>]: [DataOf<R>] extends [never] ? never : DataOf<R> extends Page<Row> | Records<Row> ? R : never
}[RouteOf<'get'>]
