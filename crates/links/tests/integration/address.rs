//! A link has the public address of the server, whatever hosts its association has.

use crate::scene::{HOUR, SLIP, slip_of, store_link};
use app::tenants::hosts;
use domain::PersonCode;
use links::LinkAddressBase;
use testkit::{PUBLIC_URL, World, both_engines};

#[both_engines]
async fn the_address_is_that_of_the_server(world: World) {
    hosts::add_host(world.app(), world.there, "app.ali.example").await.unwrap();
    for tenant in [world.here, world.there] {
        let link = store_link(world.app(), slip_of(tenant, SLIP, PersonCode::new(1)), HOUR).await;
        let expected = format!("{PUBLIC_URL}/documento/{}", link.token.as_str());
        assert_eq!(LinkAddressBase::new(world.app()).build_address(&link.token), expected);
    }
}
