import { type MapWish, MapWishes } from '@/map/base/chosen'
import { PARKINGS } from './fence'
import { FenceList } from './FenceList'

/** Tencent's map, remembered apart from the other pages' choice, and its datum. */
const TENCENT: MapWish = { memory: 'map-base-tencent', first: 'tencent', datum: 'gcj02' }

/** 停车围栏（腾讯）: the same fences, drawn on Tencent's map and told in its datum. */
export default function ParkingFenceTencentPage() {
  return (
    <MapWishes value={TENCENT}>
      <FenceList key="ParkingFenceTencent" types={PARKINGS} title="停车围栏（腾讯）" />
    </MapWishes>
  )
}
