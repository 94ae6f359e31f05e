import { PARKINGS } from './fence'
import { FenceList } from './FenceList'

/** 停车围栏（腾讯）. */
export default function ParkingFenceTencentPage() {
  return <FenceList key="ParkingFenceTencent" types={PARKINGS} title="停车围栏（腾讯）" />
}
