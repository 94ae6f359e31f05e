/** In the place of a wall that has nothing to show yet. */
export function Waiting({ refused }: { refused: string }) {
  return (
    <p className="screen-waiting" role="status">
      {refused === '' ? '正在取得数据…' : refused}
    </p>
  )
}
